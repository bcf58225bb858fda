//! What the window and the command line may ask for. Thin: each command reads or acts through the rooms below and
//! turns the answer into wire types.
//!
//! Acting calls (send, change, delete) are a list of their own, apart from reading ones (design 9): a host can tell
//! them apart by [`Call::acts`].

mod bulks;
mod chain;
mod desktop;
mod events;
mod facts;
mod filters;
mod forecasts;
mod importing;
pub mod lists;
mod looking;
mod many;
mod posts;
mod practice;
mod requests;
mod rows;
mod search;
mod signing;
mod status;
mod testing;
mod timelane;
mod timeline;
mod timemap;
mod why;
pub mod wire;
mod workspaces;
mod zones;

use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;
use ts_rs::TS;

use crate::{
    desk::Desk,
    error::{Code, Error, Result},
};

/// The shape of one call, for the hosts and for the generated call map of the screens.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// Its name.
    pub name: &'static str,
    /// True if it sends, changes or deletes something.
    pub acts: bool,
    /// TypeScript name of what it takes.
    pub takes: fn() -> String,
    /// TypeScript name of what it gives.
    pub gives: fn() -> String,
}

macro_rules! calls {
    ($(reading $reads:literal => $read:path, $read_args:ty, $read_gives:ty;)* $(acting $acts:literal => $act:path, $act_args:ty, $act_gives:ty;)*) => {
        /// Every call there is: reading ones, then acting ones.
        pub const CALLS: &[Call] = &[
            $(Call { name: $reads, acts: false, takes: shape::<$read_args>, gives: shape::<$read_gives> },)*
            $(Call { name: $acts, acts: true, takes: shape::<$act_args>, gives: shape::<$act_gives> },)*
        ];

        pub(crate) async fn dispatch(desk: &Desk, name: &str, args: Value) -> Result<Value> {
            match name {
                $($reads => answer(&$read(desk, taken::<$read_args>(name, args)?).await?),)*
                $($acts => answer(&$act(desk, taken::<$act_args>(name, args)?).await?),)*
                _ => Err(Error::usage(format!("There is no call `{name}`."))),
            }
        }
    };
}

calls! {
    reading "status" => status::status, wire::Nothing, wire::Status;
    reading "events" => events::page, wire::EventsPageArgs, wire::EventsPage;
    reading "event_arrivals" => events::arrivals, wire::EventArgs, Vec<wire::ArrivalRow>;
    reading "arrival" => events::arrival, wire::ArrivalArgs, wire::ArrivalDetail;
    reading "compare" => events::compare, wire::CompareArgs, wire::Compared;
    reading "event_kinds" => events::kinds, wire::Nothing, wire::EventKinds;
    reading "search" => search::search, wire::SearchArgs, wire::SearchAnswer;
    reading "saved_filters" => filters::list, wire::Nothing, wire::SavedFilters;
    reading "chain" => chain::chain, wire::ChainArgs, wire::Chain;
    reading "post" => chain::post, wire::PostArgs, wire::PostView;
    reading "attempt" => requests::attempt, wire::AttemptArgs, wire::AttemptDetail;
    reading "curl" => requests::curl, wire::CurlArgs, wire::Curl;
    reading "event" => timeline::event, wire::EventArgs, wire::EventRow;
    reading "timeline" => timeline::span, wire::TimelineArgs, wire::Timeline;
    reading "timeline_map" => timemap::map, wire::TimelineMapArgs, wire::TimelineMap;
    reading "posts" => posts::page, wire::PostsPageArgs, wire::PostsPage;
    reading "job" => posts::job, wire::JobArgs, wire::JobDetail;
    reading "forecast" => forecasts::forecast, wire::ForecastArgs, wire::ForecastRow;
    reading "preflight" => forecasts::preflight, wire::SubmitArgs, wire::ForecastRow;
    reading "account_zones" => zones::account_zones, wire::Nothing, wire::AccountZones;
    reading "submit_many_preview" => many::preview, wire::ManyPreviewArgs, wire::ManyPreview;
    reading "accounts" => posts::accounts, wire::Nothing, wire::Accounts;
    reading "webhooks" => testing::webhooks, wire::Nothing, wire::Webhooks;
    reading "bulks" => bulks::list, wire::Nothing, wire::Bulks;
    reading "bulk" => bulks::one, wire::BulkArgs, wire::BulkDetail;
    reading "bulk_rows" => bulks::rows, wire::BulkRowsArgs, wire::BulkRows;
    reading "looks" => looking::looks, wire::Nothing, wire::Looks;
    reading "file_workspaces" => looking::file_workspaces, wire::Nothing, wire::FileWorkspaces;
    reading "import_look" => importing::look, wire::ImportLookArgs, wire::ImportLook;
    reading "import_progress" => importing::progress, wire::Nothing, wire::ImportRun;
    reading "imports" => importing::list, wire::Nothing, wire::Imports;
    reading "cases" => importing::cases, wire::Nothing, wire::Cases;
    reading "contract_settings" => signing::settings, wire::Nothing, wire::ContractSettings;
    reading "try_signature" => signing::try_signature, wire::SignatureArgs, wire::SignatureTrial;
    reading "set_aside" => signing::set_aside, wire::Nothing, wire::SetAside;
    reading "storage" => signing::storage, wire::Nothing, wire::Storage;
    reading "habits" => desktop::habits, wire::Nothing, wire::Habits;
    reading "links" => desktop::links, wire::PostArgs, Vec<wire::LinkRow>;
    reading "workspaces" => workspaces::list, wire::Nothing, wire::Workspaces;
    reading "why" => why::why, wire::WhyArgs, wire::WhyAnswer;
    reading "why_look" => why::look, wire::WhyLookArgs, wire::WhyLook;
    reading "why_case" => why::case, wire::WhyArgs, wire::WhyCase;
    reading "why_alike" => why::alike, wire::WhyArgs, wire::WhyAlike;
    reading "why_files" => why::files, wire::WhyArgs, wire::SavedFiles;
    acting "submit" => forecasts::submit, wire::SubmitArgs, wire::JobRow;
    acting "submit_many" => many::submit, wire::ManySubmitArgs, wire::ManySubmitted;
    acting "ask_again" => forecasts::ask_again, wire::AskAgainArgs, wire::JobRow;
    acting "post_again" => forecasts::post_again, wire::PostAgainArgs, wire::JobRow;
    acting "plan_bulk" => bulks::plan, wire::PlanBulkArgs, wire::BulkDetail;
    acting "fetch_bulk" => bulks::fetch, wire::BulkArgs, wire::BulkDetail;
    acting "run_bulk" => bulks::run, wire::RunBulkArgs, wire::BulkDetail;
    acting "pause_bulk" => bulks::pause, wire::BulkArgs, wire::BulkDetail;
    acting "stop_bulk" => bulks::stop, wire::BulkArgs, wire::BulkDetail;
    acting "cancel" => posts::cancel, wire::JobArgs, wire::JobRow;
    acting "fetch" => looking::fetch, wire::FetchArgs, wire::FetchReport;
    acting "note" => looking::note, wire::NoteArgs, wire::Nothing;
    acting "tie_workspace" => looking::tie_workspace, wire::TieArgs, wire::FileWorkspaces;
    acting "test_webhook" => testing::fire, wire::TestArgs, wire::TestRun;
    acting "import_start" => importing::start, wire::ImportStartArgs, wire::ImportRun;
    acting "import_cancel" => importing::cancel, wire::Nothing, wire::ImportRun;
    acting "open_case" => importing::open_case, wire::CaseArgs, wire::Status;
    acting "leave_case" => importing::leave_case, wire::Nothing, wire::Status;
    acting "delete_case" => importing::delete_case, wire::CaseArgs, wire::Cases;
    acting "save_workspace" => workspaces::save, wire::SaveWorkspaceArgs, wire::Workspaces;
    acting "use_workspace" => workspaces::use_one, wire::WorkspaceArgs, wire::Workspaces;
    acting "forget_workspace" => workspaces::forget, wire::WorkspaceArgs, wire::Workspaces;
    acting "save_receiver" => workspaces::save_receiver, wire::SaveReceiverArgs, wire::Status;
    acting "save_signature" => signing::save, wire::SaveSignatureArgs, wire::ContractSettings;
    acting "check_set_aside" => signing::check_again, wire::Nothing, wire::CheckedAgain;
    acting "save_retention" => signing::save_retention, wire::RetentionArgs, wire::Storage;
    acting "save_filter" => filters::save, wire::SaveFilterArgs, wire::SavedFilters;
    acting "delete_filter" => filters::delete, wire::FilterArgs, wire::SavedFilters;
    acting "save_habits" => desktop::save_habits, wire::Habits, wire::Habits;
    acting "go_on" => status::go_on, wire::Nothing, wire::Status;
    acting "start_practice" => practice::start, wire::Nothing, wire::Status;
    acting "leave_practice" => practice::leave, wire::Nothing, wire::Status;
    acting "play_story" => practice::play, wire::Nothing, wire::Status;
}

/// The call `test_webhook`, for a host that wants its answer as a value.
pub(crate) async fn test_webhook(desk: &Desk, args: wire::TestArgs) -> Result<wire::TestRun> {
    testing::fire(desk, args).await
}

/// The call `search`, likewise.
pub(crate) async fn search(desk: &Desk, args: wire::SearchArgs) -> Result<wire::SearchAnswer> {
    search::search(desk, args).await
}

/// The call `bulk`, likewise.
pub(crate) async fn bulk(desk: &Desk, mark: &str) -> Result<wire::BulkDetail> {
    bulks::one(desk, wire::BulkArgs { bulk: mark.to_owned() }).await
}

/// The call `bulks`, likewise.
pub(crate) async fn bulks(desk: &Desk) -> Result<Vec<wire::BulkDetail>> {
    Ok(bulks::list(desk, wire::Nothing {}).await?.bulks)
}

fn shape<T: TS>() -> String {
    T::name(&ts_rs::Config::default())
}

/// The arguments of a call. What is wrong with them is said without repeating them: one may be a secret.
fn taken<T: DeserializeOwned>(name: &str, args: Value) -> Result<T> {
    serde_json::from_value(args).map_err(|cause| {
        let text = cause.to_string();
        let missing = text.strip_prefix("missing field `").and_then(|rest| rest.split('`').next());
        Error::usage(match missing {
            Some(field) => format!("`{name}` needs `{field}`."),
            None => format!("What was given to `{name}` is not of the form it takes."),
        })
    })
}

fn answer<T: Serialize>(value: &T) -> Result<Value> {
    serde_json::to_value(value).map_err(|cause| Error::caused(Code::Internal, "An answer has no JSON form.", cause))
}

impl From<&Error> for wire::Problem {
    fn from(error: &Error) -> Self {
        Self { code: error.code, message: error.message.clone() }
    }
}
