//! Commands that run until they are stopped.

use std::{fs, net::SocketAddr, path::Path};

use reprise_core::{
    address::only_here,
    clock::Moment,
    desk::Desk,
    error::{Code, Error, Result},
};
use serde::Serialize;

use crate::{Answer, output::Output, serve as screens};

#[derive(Serialize)]
struct Listening {
    receiver: Option<String>,
    data: String,
    /// Who receives and sends instead, while somebody does.
    #[serde(skip_serializing_if = "Option::is_none")]
    waits: Option<String>,
    /// Why nothing is sent, if that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    held: Option<String>,
}

impl Listening {
    fn says(&self) -> String {
        let held = self.held.as_deref().map_or(String::new(), |held| format!("\n{held}"));
        match (&self.receiver, &self.waits) {
            (Some(receiver), _) => format!("Listening at {receiver}, log in {}. Ctrl C stops.{held}", self.data),
            (None, waits) => format!("{} Ctrl C stops.{held}", waits.as_deref().unwrap_or_default()),
        }
    }
}

/// Receives and sends until stopped. While another program does that for this log, waits for its end; while the log cannot be
/// written, until it can be.
pub(crate) async fn listen(desk: &Desk, output: &mut Output) -> Result<Answer> {
    let mut changes = desk.notices();
    let stopped = stopped();
    tokio::pin!(stopped);
    let mut waits = false;
    loop {
        changes.mark_unchanged();
        let ears = desk.ears().await;
        let listens = ears.url.is_some();
        if !listens && !ears.elsewhere && !ears.again {
            return Err(Error::new(Code::Busy, ears.problem.unwrap_or_default()));
        }
        if listens || !waits {
            waits = true;
            let data = desk.store().await.dir().display().to_string();
            let row = Listening { receiver: ears.url, data, waits: ears.problem, held: desk.held().await? };
            output.row(&row, Listening::says)?;
            output.flush()?;
        }
        tokio::select! {
            ended = &mut stopped => {
                ended?;
                desk.close().await;
                return Ok(Answer::Yes);
            }
            _ = changes.changed(), if !listens => {}
        }
    }
}

#[derive(Serialize)]
struct Serving {
    ui: String,
    receiver: Option<String>,
    data: String,
}

/// Serves the screens, receives and sends until stopped.
pub(crate) async fn serve(desk: &Desk, on: SocketAddr, output: &mut Output) -> Result<Answer> {
    let served = screens::start(desk.clone(), on).await?;
    let row = Serving {
        ui: served.link.clone(),
        receiver: desk.ears().await.url,
        data: desk.store().await.dir().display().to_string(),
    };
    output.row(&row, |row| {
        format!("Open {} in a browser on this computer; the link works once. Ctrl C stops.", row.ui)
    })?;
    output.flush()?;
    stopped().await?;
    served.stop();
    desk.close().await;
    Ok(Answer::Yes)
}

#[derive(Serialize)]
struct Playground {
    pozy: String,
    api_key: String,
    webhook_secret: String,
}

/// Runs a sandbox until stopped. Its key and secret open nothing real, so they may be shown.
pub(crate) async fn sandbox(
    on: SocketAddr,
    clock: &str,
    script: Option<&Path>,
    now: Option<Moment>,
    output: &mut Output,
) -> Result<Answer> {
    only_here(on, "Whoever reaches the sandbox moves it without a secret, so it listens on this computer only.")?;
    let mut options = pozy_sandbox::Options { addr: on, now: now.map(Moment::utc), ..pozy_sandbox::Options::default() };
    if clock == "manual" {
        options.pace = pozy_sandbox::Pace::Manual;
    }
    if let Some(file) = script {
        let text = fs::read_to_string(file).map_err(|cause| {
            Error::caused(Code::Usage, format!("The script {} cannot be read.", file.display()), cause)
        })?;
        options.script = pozy_sandbox::read_script(&text)
            .map_err(|cause| Error::caused(Code::Usage, "The script is not of the form it should be.", cause))?;
    }
    let sandbox = pozy_sandbox::Sandbox::start(options).await.map_err(|cause| {
        Error::caused(
            Code::Busy,
            format!("The sandbox cannot listen on {on}. Choose another address with --on."),
            cause,
        )
    })?;
    let row = Playground {
        pozy: sandbox.url().to_owned(),
        api_key: sandbox.api_key().to_owned(),
        webhook_secret: sandbox.webhook_secret().to_owned(),
    };
    output.row(&row, |row| {
        format!(
            "A sandbox runs at {}. Nothing in it is real. Ctrl C stops.\n  export POZY_API_KEY={}\n  export \
             POZY_WEBHOOK_SECRET={}\n  reprise listen --pozy {}",
            row.pozy, row.api_key, row.webhook_secret, row.pozy
        )
    })?;
    output.flush()?;
    stopped().await?;
    sandbox.stop().await;
    Ok(Answer::Yes)
}

/// Waits for Ctrl C or the system's request to end.
pub(crate) async fn stopped() -> Result<()> {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut end = signal(SignalKind::terminate())?;
        tokio::select! {
            done = tokio::signal::ctrl_c() => done?,
            _ = end.recv() => {}
        }
        Ok(())
    }
    #[cfg(not(unix))]
    Ok(tokio::signal::ctrl_c().await?)
}
