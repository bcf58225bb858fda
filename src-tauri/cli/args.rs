//! What can be typed. Each command's help ends with an example that works.

use std::{net::SocketAddr, path::PathBuf};

use clap::{Args, Parser, Subcommand, builder::NonEmptyStringValueParser};
use reprise_core::{clock::Moment, import::columns::ColumnField, outbound::forecast::Effect};

use crate::bulk_args::Bulk;

/// Why was this posted twice? A local log of webhooks and posts that can prove it.
#[derive(Debug, Parser)]
#[command(
    name = "reprise",
    version,
    after_help = "Exit codes: 0 done, 1 the answer is no, 2 the command was typed wrongly, 3 our own failure.",
    arg_required_else_help = true
)]
pub(crate) struct Typed {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that may stand before or after the command.
#[derive(Args, Clone, Debug)]
pub(crate) struct Common {
    /// Folder of the log [default: the per-user data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Act as if it were this RFC 3339 instant; commands that send take it only towards a sandbox
    #[arg(long, global = true, value_name = "TIME")]
    pub(crate) now: Option<Moment>,
    /// Print one JSON object a line
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The Pozy to talk to: this one, or else the saved workspace.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct Pozy {
    /// Base address without /v1; needs POZY_API_KEY in the environment [default: the saved workspace]
    #[arg(long, value_name = "URL")]
    pub(crate) pozy: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Put logs from elsewhere into this log: log lines, HAR, tables, pages of the delivery log, curl commands, dumped
    /// requests, executions of n8n
    #[command(
        after_help = concat!(
            "Example: reprise import night-queue.jsonl capture.har deliveries.json\n",
            "Example: reprise import queue.csv --map Sent=at --map Token=key --zone Europe/London\n",
            "Example: reprise import capture.har --as-case \"Harbour Shop, ticket 41\"\n\n",
            "The kind of each file is found by looking. Secrets are masked on the way in. Adding the same file twice ",
            "adds nothing. Lines that cannot be read are named and skipped. Ctrl C stops between two lines."
        )
    )]
    Import {
        /// The files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Of a table: what a column holds; kept for the next table with the same columns
        #[arg(long, value_name = "COLUMN=FIELD", value_parser = column)]
        map: Vec<(String, ColumnField)>,
        /// Of a table: the zone of times that bear none [default: UTC]
        #[arg(long, value_name = "ZONE")]
        zone: Option<String>,
        /// When requests were made that bear no time of their own [default: now]
        #[arg(long, value_name = "TIME")]
        at: Option<Moment>,
        /// Into a new case of that name, a log of its own beside this one, instead of into this log
        #[arg(long, value_name = "NAME")]
        as_case: Option<String>,
    },
    /// List the events: what happened at Pozy, how often it was told, and in which order
    #[command(after_help = "Example: reprise events --json | grep '\"order\":\"late\"'")]
    Events,
    /// List the arrivals: every request that reached us, with the cause of each copy
    #[command(after_help = "Example: reprise arrivals --event ev_7b02")]
    Arrivals {
        /// Only those of this event
        #[arg(long, value_name = "ID")]
        event: Option<String>,
    },
    /// List the lanes: the state that each post, target and account holds, and since when
    #[command(after_help = "Example: reprise lanes")]
    Lanes,
    /// List the jobs: what was asked for, with which key, and what came of it
    #[command(after_help = "Example: reprise jobs --json")]
    Jobs,
    /// List the attempts as log lines
    #[command(after_help = "Example: reprise attempts --job job_31c0ffee")]
    Attempts {
        /// Only those of this job
        #[arg(long, value_name = "JOB")]
        job: Option<String>,
    },
    /// Find messages, posts and jobs by their words, ids, or whatever else they brought
    #[command(
        after_help = concat!(
            "Example: reprise search \"market day\"\n",
            "Example: reprise search post:po_9c41 --json\n",
            "Example: reprise search --quick \"\\\"doors open\\\" account:ac_7\"\n\n",
            "Ids and the words of posts are found at once by their indexes; the last word may be the beginning of one. ",
            "Then the log is looked through, newest first, for the same in bodies and headers of messages, and in ",
            "requests and answers. Ctrl C stops that. What stands in \"quotes\" is looked for as a whole; post:, ",
            "account:, name: and platform: narrow it. Exit 1 if nothing was found."
        )
    )]
    Search {
        /// What to look for
        text: String,
        /// Only what the indexes know; do not look through the log
        #[arg(long)]
        quick: bool,
    },
    /// Send a post once, or each post of a CSV or JSON Lines; what stays open is asked again by `listen` with the same key
    #[command(
        after_help = concat!(
            "Example: reprise submit post.json --pozy https://api.pozy.ai --wait\n",
            "Example: reprise submit post.json --confirm creates_second\n",
            "Example: reprise submit march.csv --dry-run\n",
            "Example: reprise submit march.csv --confirm creates_again\n\n",
            "Words that are live on that account already, or nearly so, are sent only if the effect is confirmed by \
             name. Then those posts are looked up first, and nothing is sent if they stand otherwise than the log said.\n\n",
            "Many posts: the kind of the file is found by looking. A CSV (commas, semicolons or tabs, UTF-8) begins with a \
             row that names its columns: text; accounts, such as \"linkedin:ac_7 instagram:ac_9\", or platform and account; \
             and, if wanted, media (addresses with spaces between them), scheduledFor (2031-05-06T09:00, without one the \
             post goes out at once), timezone (Europe/London), key, draft (yes or no). Other columns are named and left \
             aside. JSON Lines hold one request body a line, sent as its very bytes, or an object with body and key.\n\n",
            "Each row is checked against the log and against the rows before it. Rows that cannot be read are named, rows \
             that are not safe are left out unless their effect is confirmed, and the rest goes on. A row is one job for \
             good: the same file a second time, or after a crash, sends nothing twice. To send the same row anew on \
             purpose, give it another key. After a 429 the whole file waits. Exit 1 if a row was not sent or got a no."
        )
    )]
    Submit {
        /// The request body, sent as its very bytes; or many posts, as CSV or JSON Lines
        file: PathBuf,
        /// Show what each row of a file of many posts would do, and send nothing
        #[arg(long)]
        dry_run: bool,
        /// Key of the job, 1 to 255 visible ASCII characters [default: a new UUID v4]
        #[arg(long)]
        key: Option<String>,
        /// Path of the call
        #[arg(long, default_value = "/v1/posts")]
        path: String,
        /// Send although this is foretold; for many posts it may be given once for each effect
        #[arg(long, value_name = "EFFECT", value_parser = effect)]
        confirm: Vec<Effect>,
        /// Wait and ask again here until the outcome is known or a person is needed
        #[arg(long)]
        wait: bool,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Say what asking or posting again would do at this minute; reads only what is stored
    #[command(
        after_help = concat!(
            "Example: reprise forecast job_31c0ffee\n",
            "Example: reprise forecast job_31c0ffee --post-again\n",
            "Example: reprise forecast job_31c0ffee --workspace \"Harbour Shop\""
        )
    )]
    Forecast {
        /// The job
        job: String,
        /// Of posting again with a new key, instead of asking again
        #[arg(long)]
        post_again: bool,
        /// Through this workspace [default: the job's own]
        #[arg(long, value_name = "NAME")]
        workspace: Option<String>,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Ask again: the same key and bytes once more, to learn the outcome; or post again with a new key
    #[command(
        after_help = concat!(
            "Example: reprise resend job_31c0ffee\n",
            "Example: reprise resend job_31c0ffee --post-again --reason \"The first one failed\" --confirm creates_again\n\n",
            "What is not safe is sent only if the effect that `reprise forecast` names is confirmed. Known posts are ",
            "fetched first; if Pozy says otherwise than the log, nothing is sent."
        )
    )]
    Resend {
        /// The job
        job: String,
        /// Make a new post of its words, with a new key
        #[arg(long, requires = "reason")]
        post_again: bool,
        /// Why it is posted again; stays with the new post
        #[arg(long, value_name = "TEXT", requires = "post_again")]
        reason: Option<String>,
        /// Send although this is foretold
        #[arg(long, value_name = "EFFECT", value_parser = effect)]
        confirm: Option<Effect>,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Ask or post many jobs again: a dry run first, then the groups that are chosen, a few at a time
    #[command(
        after_help = concat!(
            "Example: reprise bulk plan --since-h 30\n",
            "Example: reprise bulk plan --job job_31c0ffee --job job_0badcafe\n",
            "Example: reprise bulk fetch bulk_5eed1234\n",
            "Example: reprise bulk run bulk_5eed1234 --group ask_again --group \"post_again=The outage swallowed it\"\n",
            "Example: reprise bulk run bulk_5eed1234\n\n",
            "A bulk is stored: its list is frozen by `plan`, a row is done once, and `run` goes on where it was after a ",
            "crash. What is blocked, open or somebody else's is shown and never run in bulk. If Pozy says 429 everything ",
            "waits; the first answer that was not foretold stops the rest."
        )
    )]
    Bulk {
        #[command(subcommand)]
        bulk: Bulk,
    },
    /// Stop a job that waits; what was sent stays sent
    #[command(after_help = "Example: reprise cancel job_31c0ffee")]
    Cancel {
        /// The job
        job: String,
    },
    /// Find out why something was posted twice, and show the rows that prove it
    #[command(
        after_help = "Example: reprise why --post 6721a0c4 --post 6721a0d9\n\nName what you have: one or more posts, \
                            their live addresses, words of the post, a key, a job or an event.",
        group = clap::ArgGroup::new("asked").required(true).multiple(true)
    )]
    Why {
        /// Id of a post; may be given more than once
        #[arg(long, value_name = "ID", group = "asked")]
        post: Vec<String>,
        /// Live address of a post; may be given more than once
        #[arg(long, value_name = "URL", group = "asked")]
        url: Vec<String>,
        /// Words of the post, or a part of them; may be given more than once
        #[arg(long, value_name = "TEXT", group = "asked")]
        text: Vec<String>,
        /// The key it was sent with; may be given more than once
        #[arg(long, value_name = "KEY", group = "asked")]
        key: Vec<String>,
        /// The job it belongs to; may be given more than once
        #[arg(long, value_name = "JOB", group = "asked")]
        job: Vec<String>,
        /// An event that tells of it; may be given more than once
        #[arg(long, value_name = "EVENT", group = "asked")]
        event: Vec<String>,
        /// Write the case as a page for people, secrets masked
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
        /// Write the rows of the case as log lines, secrets masked; imported elsewhere they give the same answer
        #[arg(long, value_name = "FILE")]
        case: Option<PathBuf>,
    },
    /// Record what a person saw or decided
    #[command(
        after_help = concat!(
            "Example: reprise note --post 6721a0c4 --action seen_twice \"Two links on the page\"\n",
            "Example: reprise note --job job_31c0ffee --action settled --post 6721a0c4 \"It is this one\"\n",
            "Example: reprise note --job job_31c0ffee --action settled --not-there \"Nothing on the page at noon\"\n\n",
            "`settled` moves a job whose outcome is not known: with its post it is done, without one nothing more is ",
            "planned for it, and it may be posted again."
        )
    )]
    Note {
        /// The job it is about
        #[arg(long, required_unless_present = "post")]
        job: Option<String>,
        /// The post it is about
        #[arg(long, value_parser = NonEmptyStringValueParser::new())]
        post: Option<String>,
        /// What it records
        #[arg(long, default_value = "comment", value_parser = ["settled", "seen_twice", "not_seen", "comment"])]
        action: String,
        /// `settled` of a job: none is there
        #[arg(long, conflicts_with_all = ["post", "there"], requires = "job")]
        not_there: bool,
        /// `settled` of a job: it is there, under an id nobody knows
        #[arg(long, requires = "job")]
        there: bool,
        /// The words
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        text: String,
    },
    /// Ask Pozy now what it has, and keep its answer
    #[command(
        after_help = concat!(
            "Example: reprise fetch --job job_31c0ffee\n",
            "Example: reprise fetch --account 66f0c1d2 --json\n\n",
            "For a job whose post is not known the newest posts are looked through for its words."
        ),
        group = clap::ArgGroup::new("subject").required(true)
    )]
    Fetch {
        /// A job: its post
        #[arg(long, value_name = "JOB", group = "subject")]
        job: Option<String>,
        /// A post
        #[arg(long, value_name = "ID", group = "subject")]
        post: Option<String>,
        /// A connected account
        #[arg(long, value_name = "ID", group = "subject")]
        account: Option<String>,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Say that a workspace named in imported files is the one in use, so that its jobs can be sent by hand
    #[command(
        after_help = concat!(
            "Example: reprise tie ws_harbour --pozy https://api.pozy.ai\n",
            "Example: reprise tie ws_harbour --undo"
        )
    )]
    Tie {
        /// The name in the files
        name: String,
        /// Take it back
        #[arg(long)]
        undo: bool,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Receive webhooks and send what waits, until stopped
    #[command(after_help = "Example: POZY_WEBHOOK_SECRET=... reprise listen --on 127.0.0.1:8787")]
    Listen {
        /// Address to listen on; beyond this computer only with a webhook secret
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8787")]
        on: SocketAddr,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Run a small Pozy to practise with: nothing in it is real
    #[command(after_help = "Example: reprise sandbox --on 127.0.0.1:8788")]
    Sandbox {
        /// Address to listen on
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8788")]
        on: SocketAddr,
        /// Whether its clock runs, or stands until it is moved
        #[arg(long, default_value = "real", value_parser = ["real", "manual"])]
        clock: String,
        /// Timed control steps, JSON
        #[arg(long, value_name = "FILE")]
        script: Option<PathBuf>,
    },
    /// Show the screens in a browser on this computer, and receive and send along the way
    #[command(after_help = "Example: reprise serve\n\nOpen the address that it prints; its token works once.")]
    Serve {
        /// Address of the screens, on this computer
        #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
        on: SocketAddr,
        /// Address to receive on [default: as set, else 127.0.0.1:8787]
        #[arg(long, value_name = "ADDR")]
        receive_on: Option<SocketAddr>,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Fire a test webhook and wait for its arrival
    #[command(after_help = "Example: reprise test-webhook --event post.published")]
    TestWebhook {
        /// Webhook to fire [default: the one that sends here, else the first]
        #[arg(long, value_name = "ID")]
        webhook: Option<String>,
        /// Sample of this event [default: the plain test]
        #[arg(long, value_name = "NAME")]
        event: Option<String>,
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Write the whole log as log lines, secrets masked
    #[command(after_help = "Example: reprise export > log.jsonl")]
    Export,
    /// Let bodies age out now; ids, times, standings, lanes and keys stay for good
    #[command(
        after_help = "Example: reprise prune --days 30\nExample: reprise prune --dry-run\n\nBodies that tell of an open post, or of one that is live twice, stay."
    )]
    Prune {
        /// Age from which bodies go, days [default: as set, else 30]
        #[arg(long)]
        days: Option<u32>,
        /// Say what would be freed, and let nothing go
        #[arg(long)]
        dry_run: bool,
    },
    /// Copy the log to a new file while it is in use; secrets are not in it
    #[command(
        after_help = concat!(
            "Example: reprise backup reprise-monday.db\n\n",
            "To put it back, copy it as reprise.db into an empty folder and start with --data. It sends nothing then until ",
            "you say `reprise go-on`, since it cannot know what was sent after it was made."
        )
    )]
    Backup {
        /// The file, which must not be there yet
        file: PathBuf,
    },
    /// Say that a log which was restored, copied or moved is the one to go on with
    #[command(
        after_help = concat!(
            "Example: reprise go-on\n\n",
            "Open jobs of before wait for you one by one, new ones go out as always. Any other copy of this log sends ",
            "nothing more from then on."
        )
    )]
    GoOn {
        #[command(flatten)]
        pozy: Pozy,
    },
    /// Check the log, the settings, the ports and the keychain
    #[command(
        after_help = concat!(
            "Example: reprise doctor\n",
            "Example: reprise doctor --repair\n\n",
            "Exit 1 if anything is not well. --repair saves what can be read of a damaged log into a new file beside it and ",
            "says table by table what could not; the damaged one is only read."
        )
    )]
    Doctor {
        /// Save what can be read of a damaged log
        #[arg(long)]
        repair: bool,
        /// Put what was saved in the log's place; the damaged one is kept under another name
        #[arg(long = "use", requires = "repair")]
        put: bool,
    },
    /// Print completions for a shell
    #[command(after_help = "Example: reprise completions bash > /etc/bash_completion.d/reprise")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// A column and what it holds.
fn column(text: &str) -> Result<(String, ColumnField), String> {
    let (column, field) = text.rsplit_once('=').ok_or("it is not of the form COLUMN=FIELD")?;
    Ok((column.to_owned(), field.parse()?))
}

/// The effect of that word.
fn effect(word: &str) -> Result<Effect, String> {
    let found = Effect::ALL.iter().find(|effect| effect.word() == word);
    found.copied().ok_or_else(|| {
        let words: Vec<&str> = Effect::ALL.iter().map(|effect| effect.word()).collect();
        format!("it is none of {}", words.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::Typed;

    #[test]
    fn a_note_says_something_about_something() {
        for (words, fine) in [
            (["note", "--post", "po_1", "Two links"], true),
            (["note", "--post", "", "Two links"], false),
            (["note", "--post", "po_1", ""], false),
        ] {
            assert_eq!(Typed::try_parse_from(["reprise"].into_iter().chain(words)).is_ok(), fine, "{words:?}");
        }
    }

    /// What is typed is what stands between settings of the environment and a pipe or a redirection.
    fn typed_words(example: &str) -> Vec<String> {
        let words = shlex::split(example).unwrap();
        let words =
            words.into_iter().skip_while(|word| word.contains('=')).take_while(|word| word != "|" && word != ">");
        words.collect()
    }

    #[test]
    fn every_example_can_be_typed() {
        for command in Typed::command().get_subcommands() {
            let help = command.get_after_help().unwrap_or_else(|| panic!("{}: no example", command.get_name()));
            let help = help.to_string();
            let examples: Vec<_> = help.lines().filter_map(|line| line.strip_prefix("Example: ")).collect();
            assert!(!examples.is_empty(), "{}: {help}", command.get_name());
            for example in examples {
                let words = typed_words(example);
                assert_eq!(words[..2], ["reprise", command.get_name()], "{example}");
                Typed::try_parse_from(words).unwrap_or_else(|problem| panic!("{example}: {problem}"));
            }
        }
    }
}
