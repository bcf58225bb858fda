//! The icon in the tray: whether Reprise receives, what needs a person, and the way back to the window. A click on the
//! icon is not reported everywhere, so all of it is in the menu.

use std::{
    collections::VecDeque,
    panic::{self, AssertUnwindSafe},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chrono::TimeZone as _;
use reprise_core::{alerts::Alert, commands::wire::Go, desk::Desk};
use serde_json::{Value, json};
use tauri::{
    AppHandle, Manager as _, Wry,
    menu::{IsMenuItem, Menu, MenuItemBuilder, PredefinedMenuItem},
    tray::TrayIconBuilder,
};

use crate::{going, menu};

const TRAY: &str = "tray";
/// Alerts that are listed, the newest ones.
const LISTED: usize = 5;
/// Least time between two changes of the state line.
const BREATH: Duration = Duration::from_secs(1);

/// The alerts that are listed, newest first, each with the number its item bears.
pub(crate) struct Listed(Mutex<(u64, VecDeque<(u64, Alert)>)>);

impl Listed {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new((0, VecDeque::new())))
    }

    /// Lists it first.
    pub(crate) fn add(&self, alert: Alert) {
        let (n, listed) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *n += 1;
        listed.push_front((*n, alert));
        listed.truncate(LISTED);
    }

    fn all(&self) -> Vec<(u64, Alert)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1.iter().cloned().collect()
    }

    fn place(&self, item: &str) -> Option<Go> {
        let n: u64 = item.strip_prefix("alert.")?.parse().ok()?;
        let listed = self.all();
        listed.into_iter().find(|(of, _)| *of == n).map(|(_, alert)| alert.place.into())
    }
}

/// Puts the icon into the tray. Where no tray is shown, nothing appears and nothing fails; false where this computer
/// lacks the library that draws one.
pub(crate) fn show(app: &AppHandle<Wry>) -> bool {
    // The binding to that library panics without it. Nothing is shared with what panicked but the program itself.
    let shown = panic::catch_unwind(AssertUnwindSafe(|| place(app)));
    if let Ok(Err(cause)) = &shown {
        tracing::warn!(%cause, "there is no icon in the tray");
    }
    matches!(shown, Ok(Ok(())))
}

fn place(app: &AppHandle<Wry>) -> tauri::Result<()> {
    let mut tray = TrayIconBuilder::with_id(TRAY).tooltip("Reprise").menu(&items(app, "Starting …")?);
    if let Some(icon) = app.default_window_icon() {
        tray = tray.icon(icon.clone());
    }
    // Menu events of the tray reach the handler of the whole program.
    tray.build(app).map(drop)
}

/// True if the item of that name belongs to the tray; then it is done.
pub(crate) fn chosen(app: &AppHandle<Wry>, id: &str) -> bool {
    let Some(go) = app.state::<Listed>().place(id) else { return false };
    going::go(app, go);
    true
}

fn items(app: &AppHandle<Wry>, state: &str) -> tauri::Result<Menu<Wry>> {
    let menu = Menu::new(app)?;
    menu.append(&MenuItemBuilder::with_id("show", "Show Reprise").build(app)?)?;
    menu.append(&MenuItemBuilder::with_id("state", state).enabled(false).build(app)?)?;
    let listed = app.state::<Listed>().all();
    if !listed.is_empty() {
        menu.append(&PredefinedMenuItem::separator(app)?)?;
        for (n, alert) in listed {
            let item = MenuItemBuilder::with_id(format!("alert.{n}"), alert.title.replace('&', "&&")).build(app)?;
            menu.append(&item as &dyn IsMenuItem<Wry>)?;
        }
    }
    menu.append(&PredefinedMenuItem::separator(app)?)?;
    menu.append(&MenuItemBuilder::with_id("quit", "Quit").build(app)?)?;
    Ok(menu)
}

/// Keeps the state line and the list of alerts true as long as the desk is open.
pub(crate) async fn keep_true(app: AppHandle<Wry>, desk: Desk) {
    let mut notices = desk.notices();
    let mut shown = (String::new(), Vec::new());
    loop {
        let state = match desk.call("status", json!({})).await {
            Ok(status) => state_line(&status),
            Err(problem) => problem.message,
        };
        let listed: Vec<u64> = app.state::<Listed>().all().into_iter().map(|(n, _)| n).collect();
        if shown != (state.clone(), listed.clone()) {
            if let Err(cause) = change(&app, &state) {
                tracing::warn!(%cause, "the tray shows what was");
            }
            shown = (state, listed);
        }
        tokio::time::sleep(BREATH).await;
        if notices.changed().await.is_err() {
            return;
        }
    }
}

fn change(app: &AppHandle<Wry>, state: &str) -> tauri::Result<()> {
    let Some(tray) = app.tray_by_id(TRAY) else { return Ok(()) };
    tray.set_menu(Some(items(app, state)?))
}

/// Whether it receives, and when a message last came, with its zone.
fn state_line(status: &Value) -> String {
    let receiver = &status["receiver"];
    let hears = if receiver["listening"] == true { "Listening" } else { "Not listening" };
    let place = if status["practice"].is_object() { "Sandbox, listening" } else { hears };
    let zone: chrono_tz::Tz = status["zone"].as_str().and_then(|name| name.parse().ok()).unwrap_or(chrono_tz::UTC);
    let last = receiver["last_arrival"]["ms"].as_i64().and_then(|ms| zone.timestamp_millis_opt(ms).single());
    match last {
        Some(at) => format!("{place}, last message {}", at.format("%-d %b %H:%M:%S %Z")),
        None => format!("{place}, no message yet"),
    }
}

/// Does what an item of the menu or of the tray says.
pub(crate) fn any_chosen(app: &AppHandle<Wry>, id: &str) {
    if !chosen(app, id) {
        menu::chosen(app, id);
    }
}

#[cfg(test)]
mod tests {
    use reprise_core::{
        alerts::{Kind, Place},
        clock::Moment,
        ids::JobMark,
    };

    use super::*;

    #[test]
    fn the_state_line_names_the_zone() {
        let mut status = json!({
            "zone": "Europe/Paris", "practice": null,
            "receiver": {"listening": true, "last_arrival": {"ms": 1_764_579_631_000_i64}},
        });
        assert_eq!(state_line(&status), "Listening, last message 1 Dec 10:00:31 CET");
        status["receiver"] = json!({"listening": false, "last_arrival": null});
        assert_eq!(state_line(&status), "Not listening, no message yet");
    }

    #[test]
    fn the_newest_alerts_are_listed_and_lead_to_their_places() {
        let listed = Listed::new();
        for n in 0..7 {
            listed.add(Alert {
                kind: Kind::UnknownJob,
                at: Moment(0),
                title: format!("Unknown: {n}"),
                says: String::new(),
                place: Place::Job(JobMark::new(format!("job_{n}"))),
                loud: true,
            });
        }
        let all = listed.all();
        assert_eq!(all.len(), LISTED);
        assert_eq!(all[0].1.title, "Unknown: 6");
        assert_eq!(listed.place("alert.7"), Some(Go::Job { id: "job_6".into() }));
        assert_eq!(listed.place("alert.1"), None, "no longer listed");
        assert_eq!(listed.place("quit"), None);
    }
}
