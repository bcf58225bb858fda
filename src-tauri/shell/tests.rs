//! The border as the screens meet it, through Tauri's own layers and the capability file, without a display.

use std::{path::Path, sync::mpsc, time::Duration};

use reprise_core::commands::wire::Go;
use serde_json::{Value, json};
use tauri::{
    App, Listener as _, WebviewWindow, WebviewWindowBuilder,
    test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder},
    webview::InvokeRequest,
};

use crate::border;

/// The whole program on a log in `data`, with everything but the pixels.
fn program(data: &Path) -> (App<MockRuntime>, WebviewWindow<MockRuntime>) {
    let app = border::window(mock_builder(), Some(data.to_owned()))
        .build(crate::context())
        .expect("the program starts without a display");
    // Tauri opens the windows of tauri.conf.json once its loop runs, which a test does not start.
    let window = app.config().app.windows.first().expect("tauri.conf.json describes one window");
    let window = WebviewWindowBuilder::from_config(&app, window).and_then(|builder| builder.build());
    (app, window.expect("the window opens"))
}

/// What the page at `from` gets when it invokes `command`.
fn invoke(window: &WebviewWindow<MockRuntime>, from: &str, command: &str, args: Value) -> Result<Value, Value> {
    let request = InvokeRequest {
        cmd: command.into(),
        callback: tauri::ipc::CallbackFn(0),
        error: tauri::ipc::CallbackFn(1),
        url: from.parse().expect("an address"),
        body: tauri::ipc::InvokeBody::Json(args),
        headers: tauri::http::HeaderMap::new(),
        invoke_key: INVOKE_KEY.to_string(),
    };
    get_ipc_response(window, request).map(|body| body.deserialize().expect("answers are JSON"))
}

const OURS: &str = "tauri://localhost";

fn status(window: &WebviewWindow<MockRuntime>) -> Result<Value, Value> {
    invoke(window, OURS, "call", json!({"name": "status", "args": {}}))
}

#[test]
fn a_call_reaches_the_core_and_comes_back() {
    let dir = tempfile::tempdir().expect("a folder");
    let (_app, window) = program(dir.path());
    let answer = status(&window).expect("status is answered");
    assert_eq!(answer["version"], env!("CARGO_PKG_VERSION"));
}

#[test]
fn a_name_that_the_core_does_not_know_is_a_problem_with_its_code() {
    let dir = tempfile::tempdir().expect("a folder");
    let (_app, window) = program(dir.path());
    let problem =
        invoke(&window, OURS, "call", json!({"name": "drop_everything", "args": {}})).expect_err("no such call");
    assert_eq!(problem["code"], "usage");
    assert!(problem["message"].as_str().is_some_and(|says| !says.is_empty()), "a person can read {problem}");
}

#[test]
fn the_capability_lets_the_screens_call_and_listen_and_nothing_else() {
    let dir = tempfile::tempdir().expect("a folder");
    let (_app, window) = program(dir.path());
    for forbidden in [
        "plugin:event|emit",
        "plugin:window|close",
        "plugin:window|create",
        "plugin:webview|create_webview_window",
        "plugin:path|resolve_directory",
        "plugin:app|version",
        "plugin:dialog|open",
        "plugin:dialog|save",
        "plugin:fs|read_text_file",
        "plugin:opener|open_url",
        "plugin:opener|open_path",
        "plugin:window-state|save_window_state",
    ] {
        let refusal = invoke(&window, OURS, forbidden, json!({"event": "notice"})).expect_err(forbidden);
        assert!(refusal.as_str().is_some_and(|says| says.contains("not allowed")), "{forbidden}: {refusal}");
    }
}

#[test]
fn the_page_is_told_where_to_go_once_it_listens_and_can_open_only_what_the_log_knows() {
    let dir = tempfile::tempdir().expect("a folder");
    let (app, window) = program(dir.path());
    crate::going::go(app.handle(), Go::Screen { id: "posts".into() });
    let waited = invoke(&window, OURS, "host", json!({"ask": {"do": "ready"}})).expect("the page listens");
    assert_eq!(waited, json!([{"kind": "screen", "id": "posts"}]));
    let again = invoke(&window, OURS, "host", json!({"ask": {"do": "ready"}})).expect("the page listens");
    assert_eq!(again, json!([]));

    let ask = json!({"ask": {"do": "open", "post": "po_1", "account": "ac"}});
    let refusal = invoke(&window, OURS, "host", ask.clone()).expect_err("no such address");
    assert_eq!(refusal["code"], "not_found", "{refusal}");
    assert!(invoke(&window, "https://example.org", "host", ask).is_err(), "only our own pages may ask the window");
    let acting = json!({"ask": {"do": "save", "name": "play_story", "args": {}}});
    assert_eq!(invoke(&window, OURS, "host", acting).expect_err("it acts")["code"], "usage");
}

#[test]
fn a_page_from_elsewhere_cannot_call() {
    let dir = tempfile::tempdir().expect("a folder");
    let (_app, window) = program(dir.path());
    let asked = json!({"name": "status", "args": {}});
    assert!(invoke(&window, "https://example.org", "call", asked).is_err(), "only our own pages may ask the core");
}

#[test]
fn a_log_that_cannot_be_opened_is_told_on_each_call_until_it_can() {
    let dir = tempfile::tempdir().expect("a folder");
    let in_the_way = dir.path().join("log");
    std::fs::write(&in_the_way, "a file where the folder should be").expect("written");
    let (_app, window) = program(&in_the_way);
    for _ in 0..2 {
        let problem = status(&window).expect_err("no log can be opened there");
        assert_eq!(problem["code"], "storage", "{problem}");
    }
    std::fs::remove_file(&in_the_way).expect("removed");
    assert!(status(&window).is_ok(), "the next call opens the log once it can be opened");
}

#[test]
fn a_change_is_told_to_the_screens() {
    let dir = tempfile::tempdir().expect("a folder");
    let (app, window) = program(dir.path());
    let (told, hears) = mpsc::channel();
    app.listen_any("notice", move |event| {
        let _ = told.send(event.payload().to_owned());
    });
    status(&window).expect("opens the log");
    invoke(&window, OURS, "call", json!({"name": "leave_practice", "args": {}})).expect("practice ends");
    let notice = hears.recv_timeout(Duration::from_secs(10)).expect("a notice follows");
    assert!(notice.contains("\"n\":"), "{notice}");
}
