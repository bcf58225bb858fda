//! Notices of the desktop: for what needs a person, and for the first time that receiving goes on behind a closed
//! window. A click on one leads to its place where the desktop reports it; the tray lists the latest in any case.

use std::thread;

use notify_rust::Notification;
use reprise_core::{alerts, commands::wire::Go, desk::Desk};
use tauri::{AppHandle, Manager as _, Wry};

use crate::{going, tray::Listed};

/// Shows one. It takes a thread of its own that waits for the click; a desktop without notices is no problem.
pub(crate) fn show(app: &AppHandle<Wry>, title: &str, says: &str, place: Option<Go>) {
    let app = app.clone();
    let mut notice = Notification::new();
    notice.appname("Reprise").summary(title).body(&without_markup(says)).icon("reprise-desktop");
    #[cfg(all(unix, not(target_os = "macos")))]
    notice.action("default", "Show");
    let shown = thread::Builder::new().name("notice".to_owned()).spawn(move || match notice.show() {
        #[cfg(all(unix, not(target_os = "macos")))]
        Ok(handle) => handle.wait_for_action(|action| {
            if action == "default" {
                match place {
                    Some(place) => going::go(&app, place),
                    None => going::raise(&app),
                }
            }
        }),
        #[cfg(not(all(unix, not(target_os = "macos"))))]
        Ok(_) => drop((app, place)),
        Err(cause) => tracing::info!(%cause, "this desktop shows no notices"),
    });
    if let Err(cause) = shown {
        tracing::warn!(%cause, "a notice could not be shown");
    }
}

/// Desktops may read a notice's body as markup.
fn without_markup(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Calls a person as long as the desk is open, unless the person wants no notices.
pub(crate) async fn call_person(app: AppHandle<Wry>, desk: Desk) {
    let (found, mut alerts) = tokio::sync::mpsc::unbounded_channel();
    let watching = desk.clone();
    tauri::async_runtime::spawn(alerts::watch(watching, move |alert| {
        // Nobody hears any more once the program ends.
        let _ = found.send(alert);
    }));
    while let Some(alert) = alerts.recv().await {
        let wanted = desk.habits().await.is_ok_and(|habits| habits.notices);
        if alert.loud && wanted {
            show(&app, &alert.title, &alert.says, Some(alert.place.clone().into()));
        }
        app.state::<Listed>().add(alert);
        // The tray lists it as soon as it looks.
        desk.notify();
    }
}

/// Says that receiving goes on although the window is closed.
pub(crate) fn still_receiving(app: &AppHandle<Wry>) {
    show(
        app,
        "Reprise keeps receiving",
        "The window is closed, messages still come in. Bring it back from the tray or by starting Reprise again; Quit ends it.",
        None,
    );
}
