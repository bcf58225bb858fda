//! What only a window can do for the screens, behind one command beside `call`: keep files of the core's, open a link of
//! the log outside. The page names no address and no place to write to: a person chooses the place, and
//! an address comes from the log's own rows.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use reprise_core::{
    commands::{
        CALLS,
        wire::{Go, Problem},
    },
    error::{Code, Error},
};
use serde::Deserialize;
use serde_json::{Value, json};
use tauri::{AppHandle, Manager as _, Runtime, State};
use tauri_plugin_dialog::{DialogExt as _, FilePath};
use tokio::sync::oneshot;

use crate::{border::Border, fit, going::Waiting};

/// What a page may ask of the window.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(crate) enum Ask {
    /// It listens from now on; the answer is what waited for it.
    Ready,
    /// Asks the core for files and a person for a folder, and keeps them there; the answer is where, or none.
    Save {
        /// A reading call that answers with files.
        name: String,
        /// What it takes.
        args: Value,
    },
    /// Opens a live post of the log in the person's browser.
    Open {
        /// The post.
        post: String,
        /// The account it is live on.
        account: String,
    },
}

/// Does what a page asks of the window.
///
/// # Errors
/// As the screens know them: a file that cannot be written, a link that the log does not have.
#[tauri::command]
pub(crate) async fn host<R: Runtime>(
    app: AppHandle<R>,
    border: State<'_, Border>,
    waiting: State<'_, Waiting>,
    ask: Ask,
) -> Result<Value, Problem> {
    let answer = match ask {
        Ask::Ready => {
            fit::fit(&app);
            Ok(json!(waiting.ready()))
        }
        Ask::Save { name, args } => save(&app, &border, &name, args).await,
        Ask::Open { post, account } => open(&app, &border, &post, &account).await,
    };
    answer.map_err(|error: Error| Problem { code: error.code, message: error.message })
}

/// Asks for files and hands them to the page, as a drop does.
pub(crate) fn pick_for_import<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let paths = pick(&app).await;
        if !paths.is_empty() {
            crate::going::go(&app, Go::Import { paths });
        }
    });
}

async fn pick<R: Runtime>(app: &AppHandle<R>) -> Vec<String> {
    let (done, chosen) = oneshot::channel();
    app.dialog().file().set_title("Import a log").pick_files(move |files| {
        // Nobody waits any more if the page is gone; then nothing is read in.
        let _ = done.send(files.unwrap_or_default());
    });
    let files = chosen.await.unwrap_or_default();
    files.into_iter().filter_map(local).filter_map(|path| path.into_os_string().into_string().ok()).collect()
}

/// The text comes from the core and the folder from a person: a page that went astray can write nothing of its own.
async fn save<R: Runtime>(app: &AppHandle<R>, border: &Border, name: &str, args: Value) -> Result<Value, Error> {
    if CALLS.iter().any(|call| call.name == name && call.acts) {
        return Err(Error::usage("Only what a call reads can be kept as files."));
    }
    let answer = border.desk(app).await?.call(name, args).await?;
    let files: Vec<File> = serde_json::from_value(answer["files"].clone())
        .map_err(|cause| Error::caused(Code::Usage, "That call answers with no files.", cause))?;
    let (done, chosen) = oneshot::channel();
    app.dialog().file().set_title("Save the case file into").pick_folder(move |folder| {
        // Nobody waits any more if the page is gone; then nothing is kept.
        let _ = done.send(folder);
    });
    let Some(folder) = chosen.await.ok().flatten().and_then(local) else { return Ok(Value::Null) };
    let kept = folder.clone();
    let names = tokio::task::spawn_blocking(move || keep_in(&kept, &files))
        .await
        .map_err(|cause| Error::caused(Code::Internal, "A mistake of ours stopped this work.", cause))?
        .map_err(|cause| {
            let said = format!("Nothing more could be written into {}. Choose another folder.", folder.display());
            Error::caused(Code::Storage, said, cause)
        })?;
    Ok(json!({ "folder": folder.display().to_string(), "names": names }))
}

/// A file of the core's that a person keeps.
#[derive(Debug, Deserialize)]
struct File {
    name: String,
    text: String,
}

/// Writes them under their names, and never over what is there: then a number is added. Their names, as written.
fn keep_in(folder: &Path, files: &[File]) -> io::Result<Vec<String>> {
    files
        .iter()
        .map(|file| {
            let name = plain_name(&file.name);
            let (stem, end) =
                name.rsplit_once('.').map_or((name.as_str(), String::new()), |(stem, end)| (stem, format!(".{end}")));
            for n in 1.. {
                let name = if n == 1 { name.clone() } else { format!("{stem} {n}{end}") };
                match fs::File::create_new(folder.join(&name)) {
                    Ok(mut new) => return new.write_all(file.text.as_bytes()).map(|()| name),
                    Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => {}
                    Err(cause) => return Err(cause),
                }
            }
            Err(io::ErrorKind::AlreadyExists.into())
        })
        .collect()
}

async fn open<R: Runtime>(app: &AppHandle<R>, border: &Border, post: &str, account: &str) -> Result<Value, Error> {
    let found = border.desk(app).await?.call("links", json!({ "post": post })).await?;
    let rows = found.as_array().map(Vec::as_slice).unwrap_or_default();
    let url = rows.iter().find(|row| row["account"] == account).and_then(|row| row["url"].as_str());
    let url = url.ok_or_else(|| Error::not_found("The log knows no address of that post there."))?.to_owned();
    tokio::task::spawn_blocking(move || tauri_plugin_opener::open_url(url, None::<&str>))
        .await
        .map_err(|cause| Error::caused(Code::Internal, "A mistake of ours stopped this work.", cause))?
        .map_err(|cause| {
            Error::caused(Code::Refused, "No browser could be started. Copy the address and open it yourself.", cause)
        })?;
    Ok(Value::Null)
}

fn local(file: FilePath) -> Option<PathBuf> {
    file.into_path().ok()
}

/// A name without folders, whatever was suggested.
fn plain_name(name: &str) -> String {
    let name: String = name.chars().filter(|c| !matches!(c, '/' | '\\' | ':') && !c.is_control()).collect();
    let name = name.trim_matches(['.', ' ']).to_owned();
    if name.is_empty() { "reprise".to_owned() } else { name }
}

/// Shows a folder of this computer outside.
pub(crate) fn show_folder<R: Runtime>(app: &AppHandle<R>) {
    let app = app.clone();
    tauri::async_runtime::spawn(async move {
        let desk = app.state::<Border>();
        let Ok(desk) = desk.desk(&app).await else { return };
        let dir = desk.data_folder();
        let opened = tokio::task::spawn_blocking(move || tauri_plugin_opener::open_path(dir, None::<&str>)).await;
        if !matches!(opened, Ok(Ok(()))) {
            tracing::warn!(?opened, "the folder could not be shown");
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_already_stays() {
        let dir = tempfile::tempdir().expect("a folder");
        let files = [
            File { name: "case.html".into(), text: "new".into() },
            File { name: "../case.jsonl".into(), text: "{}".into() },
        ];
        assert_eq!(keep_in(dir.path(), &files).expect("written"), ["case.html", "case.jsonl"]);
        fs::write(dir.path().join("case.html"), "mine").expect("written");
        assert_eq!(keep_in(dir.path(), &files).expect("written"), ["case 2.html", "case 2.jsonl"]);
        assert_eq!(fs::read_to_string(dir.path().join("case.html")).expect("read"), "mine");
        assert_eq!(fs::read_to_string(dir.path().join("case 2.html")).expect("read"), "new");
    }

    #[test]
    fn a_suggested_name_leads_into_no_folder() {
        assert_eq!(plain_name("case po_1.html"), "case po_1.html");
        assert_eq!(plain_name("../../etc/passwd"), "etcpasswd");
        assert_eq!(plain_name("C:\\a\nb"), "Cab");
        assert_eq!(plain_name(".."), "reprise");
    }
}
