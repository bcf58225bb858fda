//! How the program behaves on a desktop: one of it for each log, its window remembered, closing that keeps receiving,
//! files that are dropped or handed over. None of it is in the tests without a display.

use std::path::{Path, PathBuf};

use clap::Parser as _;
use reprise_core::desk;
use sha2::{Digest as _, Sha256};
use tauri::{AppHandle, Builder, CloseRequestApi, DragDropEvent, Manager as _, Window, WindowEvent, Wry};
use tauri_plugin_window_state::StateFlags;

use crate::{Typed, border::Border, going, menu, notices, tray};

/// Adds the habits to a program for the log in `data`, or in the per-user folder.
pub(crate) fn add(builder: Builder<Wry>, data: Option<&Path>) -> Builder<Wry> {
    // First of all: a second start must end before it opens anything.
    let single = tauri_plugin_single_instance::Builder::new().dbus_id(bus_name(data)).callback(started_again).build();
    // Whether it was visible is no habit: a hidden window must not stay hidden at the next start.
    let kept = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    let window = tauri_plugin_window_state::Builder::new().with_state_flags(kept).build();
    builder
        .plugin(single)
        .plugin(window)
        .plugin(tauri_plugin_dialog::init())
        .manage(menu::Zoom::new())
        .manage(tray::Listed::new())
        .menu(menu::menu)
        .on_menu_event(|app, event| tray::any_chosen(app, event.id().as_ref()))
        .on_window_event(window_event)
}

/// Begins what runs beside the window: the tray, and calling a person.
pub(crate) fn begin(app: &AppHandle<Wry>, files: Vec<PathBuf>) {
    if !tray::show(app) {
        tracing::warn!("there is no icon in the tray; a closed window comes back by starting the program again");
    }
    if !files.is_empty() {
        going::import(app, files);
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let border = app.state::<Border>();
        let Ok(desk) = border.desk(&app).await.cloned() else { return };
        tauri::async_runtime::spawn(tray::keep_true(app.clone(), desk.clone()));
        notices::call_person(app.clone(), desk).await;
    });
}

/// What the bus calls this program: another log is another program.
fn bus_name(data: Option<&Path>) -> String {
    let folder = match data {
        Some(data) => std::path::absolute(data).unwrap_or_else(|_| data.to_owned()),
        None => desk::default_folder().unwrap_or_default(),
    };
    let hash = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    let short: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("app.reprise.desktop.of_{short}")
}

/// A second start of the same log: its files are taken over, and the window comes up.
fn started_again(app: &AppHandle<Wry>, typed: Vec<String>, folder: String) {
    let files = Typed::try_parse_from(typed).map(|typed| typed.files).unwrap_or_default();
    let from = Path::new(&folder);
    going::raise(app);
    going::import(app, files.into_iter().map(|file| from.join(file)).collect());
}

fn window_event(window: &Window<Wry>, event: &WindowEvent) {
    match event {
        WindowEvent::CloseRequested { api, .. } => close_requested(window, api),
        WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => going::import(window.app_handle(), paths.clone()),
        _ => {}
    }
}

/// Closing keeps receiving if there is something to receive and the person has it so; else it ends the program. That stands
/// in the log, which is asked beside the loop of the window: a log that is busy holds no window up.
fn close_requested(window: &Window<Wry>, api: &CloseRequestApi) {
    api.prevent_close();
    let window = window.clone();
    tauri::async_runtime::spawn(async move {
        let app = window.app_handle();
        let border = app.state::<Border>();
        if !border.keeps_receiving().await {
            app.exit(0);
            return;
        }
        if let Err(cause) = window.hide() {
            tracing::warn!(%cause, "the window stays");
            return;
        }
        if border.first_closing().await {
            notices::still_receiving(app);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_log_has_a_name_of_its_own_on_the_bus() {
        let one = bus_name(Some(Path::new("/tmp/one")));
        assert_eq!(one, bus_name(Some(Path::new("/tmp/one"))));
        assert_ne!(one, bus_name(Some(Path::new("/tmp/two"))));
        assert_ne!(one, bus_name(None));
        let last = one.rsplit('.').next().expect("a last element");
        assert!(last.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{one}");
    }
}
