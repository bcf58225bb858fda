//! The border between the window and the core: one command, one event. Whatever the screens want goes through
//! [`call`]; all they are told is a [`Notice`] that something changed, and then they pull what they show (design 9).

use std::{
    path::PathBuf,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

use reprise_core::{
    clock::Clock,
    commands::wire::{Notice, Problem},
    desk::{self, Desk, Options, Runs},
    error::Error,
};
use serde_json::Value;
use tauri::{AppHandle, Emitter as _, Manager as _, Runtime, State};
use tokio::sync::OnceCell;

use crate::{NET, going::Waiting};

/// The shortest time between two notices: a frame at 60 Hz. Floods of events cost the web view memory (P8).
const FRAME: Duration = Duration::from_millis(16);

/// How long the log may take to say whether a closed window ends the program.
const ASKED: Duration = Duration::from_secs(2);
/// How long the end may take, with all that the core waits for in it. What goes on longer hangs.
const END: Duration = Duration::from_secs(15);
/// ... and how long the handlers that a process runs last of all.
const LAST: Duration = Duration::from_secs(3);

/// The open desk. It opens with the window and not before it, so that a log which cannot be opened is a sentence on
/// the screen: each call then answers with that problem, and the next call tries again.
pub(crate) struct Border {
    data: Option<PathBuf>,
    desk: OnceCell<Desk>,
    /// True once the end was asked for, and once the log is closed.
    ending: AtomicBool,
    closed: AtomicBool,
}

impl Border {
    /// The desk, opened if it is not open yet.
    ///
    /// # Errors
    /// Whatever keeps the log from being opened.
    pub(crate) async fn desk<R: Runtime>(&self, app: &AppHandle<R>) -> Result<&Desk, Error> {
        self.desk
            .get_or_try_init(|| async {
                let data = self.data.clone().map_or_else(desk::default_folder, Ok)?;
                let runs = Runs::AsSet;
                let cards = desk::default_cards()?;
                let options = Options { data, cards, clock: Clock::wall(), given: None, webhook_secret: None, runs };
                let desk = Desk::open(options).await?;
                desk.fill(&NET);
                tell(app.clone(), desk.notices());
                Ok(desk)
            })
            .await
    }

    /// True if closing the window should not end the program: messages come in, they are real, and the person has it so.
    /// A log that does not say in time how the person has it goes on receiving, as it does unless they chose otherwise.
    pub(crate) async fn keeps_receiving(&self) -> bool {
        let Some(desk) = self.desk.get() else { return false };
        let asked = async {
            desk.ears().await.url.is_some()
                && !desk.practises().await
                && desk.habits().await.is_ok_and(|habits| habits.keep_receiving)
        };
        tokio::time::timeout(ASKED, asked).await.unwrap_or(true)
    }

    /// True the first time that a window of this log is closed while it keeps receiving.
    pub(crate) async fn first_closing(&self) -> bool {
        let Some(desk) = self.desk.get() else { return false };
        desk.first_closing().await.unwrap_or(false)
    }

    /// Stops the receiver and the sender and closes the log; without it the log is whole too, but larger.
    async fn close(&self) {
        if let Some(desk) = self.desk.get() {
            desk.close().await;
        }
    }
}

/// True once the log is closed and the program may end; the first to ask has it closed, and the end asked for again. The
/// loop of the window goes on meanwhile: what runs beside it may be waiting for it, and the log for that.
pub(crate) fn closed(app: &AppHandle) -> bool {
    let border = app.state::<Border>();
    if border.closed.load(Ordering::Acquire) {
        return true;
    }
    if border.ending.swap(true, Ordering::AcqRel) {
        return false;
    }
    surely_end();
    if let Some(window) = app.get_webview_window("main")
        && let Err(cause) = window.hide()
    {
        tracing::warn!(%cause, "the window is seen until the log is closed");
    }
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let border = app.state::<Border>();
        border.close().await;
        border.closed.store(true, Ordering::Release);
        app.exit(0);
    });
    false
}

/// Whatever hangs, be it the loop of the window or a handler of the system's libraries, the process ends: what was to be
/// kept is on disk long before, and a program that is asked to end and stays keeps its log from the next one.
fn surely_end() {
    after(END, || {
        tracing::error!("the end hangs; what was stored is safe");
        after(LAST, || std::process::abort());
        end();
    });
}

#[expect(clippy::exit, reason = "the loop whose return would end the process is what hangs")]
fn end() {
    std::process::exit(0);
}

/// Does it on a thread of its own once the time is over.
fn after(time: Duration, act: impl FnOnce() + Send + 'static) {
    let waiting = thread::Builder::new().name("end".to_owned()).spawn(move || {
        // Nobody speaks: only the time can pass.
        let (_silent, heard) = mpsc::channel::<()>();
        let _ = heard.recv_timeout(time);
        act();
    });
    if let Err(cause) = waiting {
        tracing::warn!(%cause, "nothing watches over the end");
    }
}

/// Hands on each change, the newest only where several fall into one frame.
fn tell<R: Runtime>(app: AppHandle<R>, mut notices: tokio::sync::watch::Receiver<u64>) {
    tauri::async_runtime::spawn(async move {
        while notices.changed().await.is_ok() {
            let n = *notices.borrow_and_update();
            if let Err(cause) = app.emit("notice", Notice { n }) {
                tracing::warn!(%cause, "the window was not told of a change");
            }
            tokio::time::sleep(FRAME).await;
        }
    });
}

/// Asks the core for `name` with `args`; the list of names is the core's.
///
/// # Errors
/// The core's own, as the screens know it; also when the log could not be opened.
#[tauri::command]
async fn call<R: Runtime>(
    app: AppHandle<R>,
    border: State<'_, Border>,
    name: String,
    args: Value,
) -> Result<Value, Problem> {
    let answer = match border.desk(&app).await {
        Ok(desk) => desk.call(&name, args).await,
        Err(error) => Err(error),
    };
    answer.map_err(|error| {
        let error = NET.error(error);
        tracing::info!(call = name, %error, "refused or failed");
        Problem { code: error.code, message: error.message }
    })
}

/// The program's window with its border, for the log in `data`, or in the per-user folder if none is named. No page
/// but our own is ever shown in it, since whatever is shown may call.
pub(crate) fn window<R: Runtime>(builder: tauri::Builder<R>, data: Option<PathBuf>) -> tauri::Builder<R> {
    let fence = tauri::plugin::Builder::<R>::new("fence").on_navigation(|_, to| own_page(to, tauri::is_dev())).build();
    builder
        .plugin(fence)
        .manage(Border { data, desk: OnceCell::new(), ending: AtomicBool::new(false), closed: AtomicBool::new(false) })
        .manage(Waiting::new())
        .invoke_handler(tauri::generate_handler![call, crate::host::host])
        .on_page_load(|page, load| {
            if load.event() == tauri::webview::PageLoadEvent::Started {
                page.state::<Waiting>().begin();
            }
        })
        .setup(|app| {
            let app = app.handle().clone();
            // Listening starts with the window, not with the first thing a person does.
            tauri::async_runtime::spawn(async move {
                if let Err(error) = app.state::<Border>().desk(&app).await {
                    tracing::error!(%error, "the log could not be opened");
                }
            });
            Ok(())
        })
}

/// True for the pages that came with the program; while developing, for those of the development server.
fn own_page(page: &tauri::Url, developing: bool) -> bool {
    match (page.scheme(), page.host_str()) {
        ("tauri", Some("localhost")) | ("http" | "https", Some("tauri.localhost")) => true,
        ("http", Some("localhost")) => developing && page.port() == Some(1420),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{after, own_page};

    #[test]
    fn a_time_that_is_over_is_over_although_nobody_says_so() {
        let (over, told) = std::sync::mpsc::channel();
        after(std::time::Duration::from_millis(5), move || over.send(()).expect("somebody waits"));
        assert_eq!(told.recv(), Ok(()));
    }

    #[test]
    fn only_our_own_pages_are_shown() {
        let page = |text: &str| text.parse().expect("an address");
        assert!(own_page(&page("tauri://localhost/index.html"), false));
        assert!(own_page(&page("http://localhost:1420/"), true));
        for elsewhere in [
            "http://localhost:1420/",
            "https://pozy.ai/",
            "http://127.0.0.1:8787/",
            "file:///etc/passwd",
            "tauri://evil/",
        ] {
            assert!(!own_page(&page(elsewhere), false), "{elsewhere}");
        }
    }
}
