//! The headless program: arguments to commands, answers to lines. It shares all with the desktop program and links no
//! window.

mod args;
mod bulk;
mod bulk_args;
mod importing;
mod lists;
mod looking;
mod many;
mod output;
mod running;
mod search;
mod sending;
mod serve;
mod upkeep;
mod why;

use std::{env, process::ExitCode, sync::LazyLock};

use clap::{CommandFactory as _, Parser as _};
use reprise_core::{
    clock::Clock,
    commands::wire::FetchArgs,
    desk::{self, Desk, Given, Options, Runs},
    error::{Code, Error, Result},
    ids::{EventId, JobMark, PostId},
    inquiry::gather::Question,
    secrets::{Secret, dumps, net::Net},
};

use args::{Command, Common, Pozy, Typed};
use bulk_args::Bulk;
use output::Output;

/// Under the log, the output and the panics of this process: no secret of an open desk passes.
pub(crate) static NET: LazyLock<Net> = LazyLock::new(Net::default);

/// What a command came to, beside its lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Done: exit 0.
    Yes,
    /// The answer is no: exit 1.
    No,
}

fn main() -> ExitCode {
    let typed = match Typed::try_parse() {
        Ok(typed) => typed,
        Err(wrong) => return typed_wrongly(&wrong),
    };
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_env("REPRISE_LOG").unwrap_or_else(|_| "error".into()))
        .with_writer(|| NET.over(std::io::stderr()))
        .init();
    dumps::none();
    std::panic::set_hook(Box::new(|mistake| tracing::error!(%mistake, "a mistake of ours")));
    let mut output = Output::new(typed.common.json);
    let done = tokio::runtime::Runtime::new().map_err(Error::from).and_then(|runtime| {
        let answer = runtime.block_on(run(typed, &mut output));
        runtime.shutdown_background();
        answer
    });
    match done.and_then(|answer| output.flush().map(|()| answer)) {
        Ok(Answer::Yes) => ExitCode::SUCCESS,
        Ok(Answer::No) => ExitCode::from(1),
        Err(problem) => {
            let problem = for_the_terminal(problem);
            output.problem(&problem);
            ExitCode::from(exit_code(problem.code))
        }
    }
}

/// A problem as it is said here, where there are no Settings but arguments.
fn for_the_terminal(problem: Error) -> Error {
    if problem.message != desk::UNCONNECTED {
        return problem;
    }
    Error::refused(
        "No Pozy is connected, so nothing was sent. Set up a workspace in the window's Settings, or give --pozy URL with \
         POZY_API_KEY in the environment.",
    )
}

/// Help and version are answers; anything else is one sentence, with `--json` as an object.
fn typed_wrongly(wrong: &clap::Error) -> ExitCode {
    let json = env::args_os().any(|arg| arg == "--json");
    if json && wrong.use_stderr() {
        let text = wrong.to_string();
        // What is missing or odd stands on lines of its own, up to the first empty one.
        let words: Vec<&str> =
            text.lines().take_while(|line| !line.is_empty()).flat_map(str::split_whitespace).collect();
        let sentence = words.join(" ");
        let sentence = sentence.trim_start_matches("error: ");
        Output::new(true).problem(&Error::usage(format!("{sentence}. `reprise --help` says what can be typed.")));
    } else if wrong.print().is_err() {
        return ExitCode::from(exit_code(Code::Storage));
    }
    ExitCode::from(u8::try_from(wrong.exit_code()).unwrap_or(exit_code(Code::Usage)))
}

const fn exit_code(code: Code) -> u8 {
    match code {
        Code::Refused | Code::NotFound | Code::Busy => 1,
        Code::Usage => 2,
        Code::NewerFile | Code::Storage | Code::Unreachable | Code::Internal => 3,
    }
}

async fn run(typed: Typed, output: &mut Output) -> Result<Answer> {
    let common = typed.common;
    match typed.command {
        Command::Import { files, map, zone, at, as_case } => {
            let wanted = importing::Wanted { files, map, zone, at, as_case };
            importing::import(&open(&common).await?, &wanted, output).await
        }
        Command::Events => lists::events(&open(&common).await?, output).await,
        Command::Arrivals { event } => lists::arrivals(&open(&common).await?, event.as_deref(), output).await,
        Command::Lanes => lists::lanes(&open(&common).await?, output).await,
        Command::Jobs => lists::jobs(&open(&common).await?, output).await,
        Command::Attempts { job } => lists::attempts(&open(&common).await?, job.as_deref(), output).await,
        Command::Search { text, quick } => search::search(&open(&common).await?, &text, quick, output).await,
        Command::Submit { file, dry_run, key, path, confirm, wait, pozy } => {
            let way = many::Way { dry_run, confirmed: confirm, wait };
            // A dry run sends nothing, so it may act as if it were another time.
            let desk = if dry_run {
                opened(options(&common, &pozy, Runs::Nothing)?).await?
            } else {
                open_sending(&common, &pozy).await?
            };
            sending::submit(&desk, sending::Order { file, key, path }, way, output).await
        }
        Command::Forecast { job, post_again, workspace, pozy } => {
            let desk = opened(options(&common, &pozy, Runs::Nothing)?).await?;
            sending::forecast(&desk, &job, post_again, workspace.as_deref(), output).await
        }
        Command::Resend { job, post_again: _, reason, confirm, pozy } => {
            let desk = open_sending(&common, &pozy).await?;
            sending::resend(&desk, &job, reason.as_deref(), confirm, output).await
        }
        Command::Bulk { bulk } => many(&common, bulk, output).await,
        Command::Cancel { job } => sending::cancel(&open(&common).await?, &job, output).await,
        Command::Why { post, url, text, key, job, event, html, case } => {
            let question = Question {
                posts: post.into_iter().map(PostId::new).collect(),
                urls: url,
                texts: text,
                keys: key,
                jobs: job.into_iter().map(JobMark::new).collect(),
                events: event.into_iter().map(EventId::new).collect(),
            };
            why::why(&open(&common).await?, &question, html.as_deref(), case.as_deref(), output).await
        }
        Command::Note { job, post, action, not_there, there, text } => {
            let found = (there || not_there).then_some(there);
            sending::note(&open(&common).await?, job, post, action, text, found, output).await
        }
        Command::Fetch { job, post, account, pozy } => {
            let args = FetchArgs { job, post, account };
            looking::fetch(&open_sending(&common, &pozy).await?, args, output).await
        }
        Command::Tie { name, undo, pozy } => {
            let desk = opened(options(&common, &pozy, Runs::Nothing)?).await?;
            looking::tie(&desk, name, undo, output).await
        }
        Command::Listen { on, pozy } => {
            running::listen(&open_running(&common, &pozy, Runs::On(on)).await?, output).await
        }
        Command::Sandbox { on, clock, script } => {
            running::sandbox(on, &clock, script.as_deref(), common.now, output).await
        }
        Command::Serve { on, receive_on, pozy } => {
            let runs = receive_on.map_or(Runs::AsSet, Runs::On);
            running::serve(&open_running(&common, &pozy, runs).await?, on, output).await
        }
        Command::TestWebhook { webhook, event, pozy } => {
            sending::test_webhook(&open_sending(&common, &pozy).await?, webhook, event, output).await
        }
        Command::Export => upkeep::export(&open(&common).await?, output).await,
        Command::Prune { days, dry_run } => upkeep::prune(&open(&common).await?, days, dry_run, output).await,
        Command::Backup { file } => upkeep::backup(&open(&common).await?, &file, output).await,
        Command::GoOn { pozy } => {
            let desk = opened(options(&common, &pozy, Runs::Nothing)?).await?;
            upkeep::go_on(&desk, output).await
        }
        Command::Doctor { repair: true, put } => {
            let options = options(&common, &Pozy::default(), Runs::Nothing)?;
            upkeep::repair(options, put, output).await
        }
        Command::Doctor { .. } => upkeep::doctor(options(&common, &Pozy::default(), Runs::Nothing)?, output).await,
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Typed::command(), "reprise", &mut script);
            output.raw(&script)?;
            Ok(Answer::Yes)
        }
    }
}

async fn many(common: &Common, typed: Bulk, output: &mut Output) -> Result<Answer> {
    match typed {
        Bulk::Plan { filter, pozy } => {
            let desk = opened(options(common, &pozy, Runs::Nothing)?).await?;
            bulk::plan(&desk, filter.into(), output).await
        }
        Bulk::Fetch { bulk, pozy } => bulk::fetch(&open_sending(common, &pozy).await?, bulk, output).await,
        Bulk::Run { bulk, group, at_once, pozy } => {
            bulk::run(&open_sending(common, &pozy).await?, bulk, group, at_once, output).await
        }
        Bulk::Pause { bulk } => bulk::pause(&open(common).await?, bulk, output).await,
        Bulk::Stop { bulk } => bulk::stop(&open(common).await?, bulk, output).await,
        Bulk::Show { bulk } => bulk::show(&open(common).await?, &bulk, output).await,
        Bulk::List => bulk::list(&open(common).await?, output).await,
    }
}

/// Opens the log, and has its secrets covered wherever this process speaks.
async fn opened(options: Options) -> Result<Desk> {
    let desk = Desk::open(options).await?;
    desk.fill(&NET);
    Ok(desk)
}

/// Opens the log for one command that sends nothing.
async fn open(common: &Common) -> Result<Desk> {
    opened(options(common, &Pozy::default(), Runs::Nothing)?).await
}

/// Opens the log for a command that sends. A told time is refused unless the other side is a sandbox: an honest Pozy
/// goes by its own clock, and a key that seems young here may be gone there.
async fn open_sending(common: &Common, pozy: &Pozy) -> Result<Desk> {
    let desk = opened(options(common, pozy, Runs::Nothing)?).await?;
    if common.now.is_some() {
        desk.only_towards_a_sandbox().await?;
    }
    Ok(desk)
}

/// Opens the log for a command that receives and sends until it is stopped. A told time is refused as in
/// [`open_sending`], before anything runs; where there is nobody to send to it does no harm.
async fn open_running(common: &Common, pozy: &Pozy, runs: Runs) -> Result<Desk> {
    if common.now.is_some() {
        let desk = opened(options(common, pozy, Runs::Nothing)?).await?;
        if desk.connection().await.is_ok() {
            desk.only_towards_a_sandbox().await?;
        }
        desk.close().await;
    }
    opened(options(common, pozy, runs)?).await
}

fn options(common: &Common, pozy: &Pozy, runs: Runs) -> Result<Options> {
    let data = match &common.data {
        Some(data) => data.clone(),
        None => desk::default_folder()?,
    };
    let given = match &pozy.pozy {
        Some(base_url) => Some(Given { base_url: base_url.clone(), api_key: api_key()? }),
        None => None,
    };
    let clock = common.now.map_or_else(Clock::wall, Clock::from);
    let webhook_secret = env::var("POZY_WEBHOOK_SECRET").ok().as_deref().and_then(Secret::new);
    Ok(Options { data, cards: desk::default_cards()?, clock, given, webhook_secret, runs })
}

fn api_key() -> Result<Secret> {
    env::var("POZY_API_KEY").ok().as_deref().and_then(Secret::new).ok_or_else(|| {
        Error::usage("--pozy needs the API key in the environment variable POZY_API_KEY; nothing was sent.")
    })
}
