//! `ui/src/wire/wire.ts` is made from the core's wire types and must never lag behind them.

use std::{fs, path::Path};

use reprise_core::commands::wire::*;
use reprise_core::error::Code;
use ts_rs::{Config, TS};

const FILE: &str = "ui/src/wire/wire.ts";
const HEAD: &str = "// What goes over the border between the core and the screens. Made from src-tauri/core/commands/wire.rs by\n\
                    // `REPRISE_WRITE_WIRE=1 cargo test --test it wire`; edit that file, never this one.\n";

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
        EventsPage,
        EventRow,
        CauseRow,
        EventArgs,
        ArrivalRow,
        ArrivalArgs,
        ArrivalDetail,
        PostsPageArgs,
        PostsPage,
        JobRow,
        Offer,
        Target,
        JobArgs,
        JobDetail,
        AttemptRow,
        NoteRow,
        Accounts,
        AccountRow,
        Webhooks,
        WebhookRow,
        SubmitArgs,
        NoteArgs,
        TestArgs,
        TestRun,
        Workspaces,
        WorkspaceRow,
        SaveWorkspaceArgs,
        WorkspaceArgs,
        Notice,
        Problem,
        Code,
    ]
}

#[test]
fn the_screens_know_the_wire_types_of_this_core() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(FILE);
    let fresh = fresh();
    if std::env::var_os("REPRISE_WRITE_WIRE").is_some() {
        fs::write(&file, &fresh).expect("the wire file can be written");
    }
    let kept = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        kept == fresh,
        "{FILE} is older than the wire types of the core: run REPRISE_WRITE_WIRE=1 cargo test --test it wire"
    );
}
