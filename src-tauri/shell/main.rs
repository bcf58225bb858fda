//! The window: the only code that names Tauri. It opens the desk, hands calls to it and changes to the screens, and
//! knows nothing of posts or webhooks.
#![cfg_attr(windows, windows_subsystem = "windows")]

mod border;
mod fit;
mod going;
mod habits;
mod host;
mod menu;
mod notices;
#[cfg(all(test, feature = "window-tests"))]
mod tests;
mod tray;

use std::{path::PathBuf, process::ExitCode, sync::LazyLock};

use clap::Parser;
use reprise_core::secrets::{dumps, net::Net};
use tauri::{AppHandle, RunEvent, Runtime};
use tracing_subscriber::EnvFilter;

/// Why was this posted twice? A local log of webhooks and posts that can prove it.
#[derive(Debug, Parser)]
#[command(name = "reprise-desktop", version)]
struct Typed {
    /// Folder of the log [default: the per-user data folder]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Logs to read in
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

/// Under the log, the answers and the panics of this process: no secret of an open desk passes.
static NET: LazyLock<Net> = LazyLock::new(Net::default);

fn main() -> ExitCode {
    let typed = Typed::parse();
    let wanted = EnvFilter::try_from_env("REPRISE_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    tracing_subscriber::fmt().with_env_filter(wanted).with_writer(|| NET.over(std::io::stderr())).init();
    dumps::none();
    std::panic::set_hook(Box::new(|mistake| tracing::error!(%mistake, "a mistake of ours")));

    let builder = habits::add(tauri::Builder::default(), typed.data.as_deref());
    let window = border::window(builder, typed.data).build(context());
    match window {
        Ok(app) => {
            end_when_told(app.handle().clone());
            habits::begin(app.handle(), typed.files);
            app.run(|app, event| {
                if let RunEvent::ExitRequested { api, .. } = event
                    && !border::closed(app)
                {
                    api.prevent_exit();
                }
            });
            ExitCode::SUCCESS
        }
        Err(cause) => {
            tracing::error!(%cause, "no window can be opened here; `reprise serve` shows the same screens in a browser");
            ExitCode::from(3)
        }
    }
}

/// What was built in: tauri.conf.json, the capabilities, and the screens under the feature `embedded`.
#[expect(clippy::exit, reason = "in the code that the macro makes")]
fn context<R: Runtime>() -> tauri::Context<R> {
    tauri::generate_context!()
}

/// Ends the program in order when the terminal or the session asks for it, so that the log is closed and not dropped.
fn end_when_told(app: AppHandle) {
    tauri::async_runtime::spawn(async move {
        told_to_end().await;
        app.exit(0);
    });
}

#[cfg(unix)]
async fn told_to_end() {
    use tokio::signal::unix::{SignalKind, signal};
    match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
        (Ok(mut interrupt), Ok(mut terminate)) => tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        },
        // Without handlers both signals end the program as they always do; the log bears that too.
        _ => std::future::pending().await,
    }
}

#[cfg(not(unix))]
async fn told_to_end() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}
