//! `ui/src/wire/` is made from the core's wire types and its list of calls, and must never lag behind them.

use std::{collections::BTreeSet, fs, path::Path};

use reprise_core::{
    commands::{CALLS, wire::*},
    error::Code,
    inbound::cause::Confidence,
    inquiry::{
        chain::{CaseChain, CaseChange, CaseGlow, CaseKind, CaseLink, CaseNode, CaseTie},
        looks::{Thing, ThingKind},
        says::{Code as Verdict, ProofKind, Side},
    },
    outbound::{
        answer_card::AnswerKind,
        bulk::{
            State as BulkState,
            came::{Actual, RowState},
            filter::{Filter, Kind},
            group::Group,
            report::Account,
        },
        forecast::{Act, Because, Effect, Reason, Risk, Suggest},
        job::{EndKind, Origin},
        key_clock::KeyPhase,
        many::RowState as ManyState,
        outcome::{Outcome, State, Warning},
    },
    pozy::contract::Encoding,
    search::excerpt::Piece,
};
use ts_rs::{Config, TS};

const FILE: &str = "ui/src/wire/wire.ts";
const CALLS_FILE: &str = "ui/src/wire/calls.ts";
const HEAD: &str = "// What goes over the border between the core and the screens. Made from src-tauri/core/commands/wire/ by\n\
                    // `REPRISE_WRITE_WIRE=1 cargo test --test it wire`; edit those files, never this one.\n";

/// The declaration of one type with its comment, without the note ts-rs puts above it and the spaces it leaves at line ends.
fn declaration<T: TS + 'static>(config: &Config) -> String {
    let text = T::export_to_string(config).expect("a wire type can be written as TypeScript");
    let start = text.find("/**").or_else(|| text.find("export ")).expect("a wire type has a declaration");
    text[start..].trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

macro_rules! declarations {
    ($($type:ty),+ $(,)?) => {{
        let config = Config::from_env();
        let mut text = HEAD.to_owned();
        $(
            text.push('\n');
            text.push_str(&declaration::<$type>(&config));
            text.push('\n');
        )+
        text
    }};
}

fn fresh() -> String {
    declarations![
        Stamp,
        Nothing,
        Status,
        Practice,
        StoryLine,
        ReceiverStatus,
        EventsPageArgs,
        EventsOnly,
        EventsFilter,
        EventsPage,
        Looked,
        EventKinds,
        EventAccount,
        EventRow,
        CauseRow,
        EventArgs,
        ArrivalRow,
        ArrivalArgs,
        ArrivalDetail,
        CompareArgs,
        Compared,
        ChainArgs,
        Chain,
        ChainKey,
        ChainTry,
        ChainPost,
        PostArgs,
        PostView,
        PostLane,
        AttemptArgs,
        AttemptDetail,
        CurlArgs,
        Curl,
        TimelineArgs,
        Timeline,
        TimelineDensity,
        TimelineLaneKind,
        TimelineLane,
        TimelineMark,
        TimelineEvent,
        TimelineCopy,
        TimelineMapArgs,
        TimelineMap,
        TimelineStretch,
        WhyLookArgs,
        WhyLook,
        Thing,
        ThingKind,
        WhyArgs,
        WhyAnswer,
        Verdict,
        Side,
        Confidence,
        WhyProof,
        ProofKind,
        WhyAlso,
        CaseChain,
        CaseNode,
        CaseKind,
        CaseGlow,
        CaseLink,
        CaseTie,
        CaseChange,
        WhyCase,
        MaskedKind,
        WhyAlike,
        WhyAlikeJob,
        SavedFiles,
        SavedFile,
        PostsPageArgs,
        PostsPage,
        JobRow,
        Offer,
        Target,
        JobArgs,
        ForecastArgs,
        ForecastRow,
        TimeTrap,
        TimeReading,
        AskAgainArgs,
        PostAgainArgs,
        Act,
        Effect,
        Risk,
        Reason,
        Because,
        BesideRow,
        Suggest,
        PlanBulkArgs,
        Filter,
        Kind,
        BulkArgs,
        RunBulkArgs,
        BulkChoice,
        Bulks,
        BulkDetail,
        BulkState,
        BulkGroupRow,
        Group,
        Account,
        BulkRowsArgs,
        BulkRows,
        BulkRow,
        BulkForecast,
        RowState,
        Actual,
        ManyPreviewArgs,
        ManyPreview,
        ManyRow,
        ManyState,
        ManySubmitArgs,
        ManySubmitted,
        JobDetail,
        AttemptRow,
        NoteRow,
        JobFacts,
        AnswerCard,
        AnswerKind,
        FirstCall,
        KeyLife,
        KeyPhase,
        ClockSkew,
        PostNow,
        TargetNow,
        Drift,
        SettledRow,
        FetchArgs,
        FetchReport,
        FetchResult,
        Candidate,
        TieArgs,
        FileWorkspaces,
        FileWorkspaceRow,
        Looks,
        LookRow,
        Accounts,
        AccountRow,
        Webhooks,
        WebhookRow,
        SubmitArgs,
        NoteArgs,
        TestArgs,
        TestRun,
        ImportLookArgs,
        ImportLook,
        FileKind,
        ColumnField,
        Mapping,
        ImportStartArgs,
        ImportState,
        ImportRun,
        ImportFile,
        BadLine,
        FindingRow,
        FindingTry,
        Imports,
        Cases,
        CaseRow,
        CaseArgs,
        Workspaces,
        Go,
        Habits,
        SearchArgs,
        SearchAnswer,
        SearchLooked,
        SearchIndex,
        SearchKind,
        SearchBy,
        SearchHit,
        Piece,
        SavedFilter,
        SavedFilters,
        SaveFilterArgs,
        FilterArgs,
        LinkRow,
        WorkspaceRow,
        SaveWorkspaceArgs,
        WorkspaceArgs,
        SaveReceiverArgs,
        SignatureArgs,
        Encoding,
        ContractSettings,
        SaveSignatureArgs,
        SignatureTrial,
        SetAside,
        CheckedAgain,
        Storage,
        RetentionArgs,
        AccountZones,
        AccountZone,
        Notice,
        Problem,
        Code,
        State,
        Outcome,
        Warning,
        Origin,
        EndKind,
    ]
}

/// The map of calls: name to arguments and answer, reading ones apart from acting ones.
fn fresh_calls() -> String {
    let mut names = BTreeSet::new();
    let mut maps = [String::new(), String::new()];
    for call in CALLS {
        let (takes, gives) = ((call.takes)(), (call.gives)());
        // `Array<Row>` is `Row[]` in the screens' style.
        let (gives, named) = match gives.strip_prefix("Array<").and_then(|inner| inner.strip_suffix('>')) {
            Some(inner) => (format!("{inner}[]"), inner.to_owned()),
            None => (gives.clone(), gives),
        };
        maps[usize::from(call.acts)].push_str(&format!("  {}: [{takes}, {gives}]\n", call.name));
        names.extend([takes, named]);
    }
    let names: Vec<String> = names.into_iter().map(|name| format!("  {name},\n")).collect();
    format!(
        "// What the screens may ask of the core, by name. Made from src-tauri/core/commands/mod.rs by\n\
         // `REPRISE_WRITE_WIRE=1 cargo test --test it wire`; edit that file, never this one.\n\n\
         import type {{\n{}}} from './wire'\n\n\
         /** Calls that only read. */\nexport interface Reading {{\n{}}}\n\n\
         /** Calls that send, change or delete. */\nexport interface Acting {{\n{}}}\n\n\
         /** Every call: name to `[arguments, answer]`. */\nexport type Calls = Reading & Acting\n\
         /** The name of a call. */\nexport type CallName = keyof Calls\n\
         /** What a call takes. */\nexport type CallArgs<N extends CallName> = Calls[N][0]\n\
         /** What a call answers. */\nexport type CallAnswer<N extends CallName> = Calls[N][1]\n",
        names.concat(),
        maps[0],
        maps[1]
    )
}

fn compare(name: &str, fresh: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
    if std::env::var_os("REPRISE_WRITE_WIRE").is_some() {
        fs::write(&file, fresh).expect("the wire file can be written");
    }
    let kept = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        kept == fresh,
        "{name} is older than the wire types of the core: run REPRISE_WRITE_WIRE=1 cargo test --test it wire"
    );
}

#[test]
fn the_screens_know_the_wire_types_of_this_core() {
    compare(FILE, &fresh());
}

#[test]
fn the_screens_know_the_calls_of_this_core() {
    compare(CALLS_FILE, &fresh_calls());
}
