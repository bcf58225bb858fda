//! The way from the desktop to the screens: whatever a menu, the tray, a notice, a dropped file or a second start asks
//! for is one [`Go`], and the page does it. Before the page listens, and while it loads anew, they wait for it.

use std::{
    path::PathBuf,
    sync::{Mutex, PoisonError},
};

use reprise_core::commands::wire::Go;
use tauri::{AppHandle, Emitter as _, Manager as _, Runtime};

/// What waits for a page that does not listen yet; none once it listens.
pub(crate) struct Waiting(Mutex<Option<Vec<Go>>>);

impl Waiting {
    pub(crate) const fn new() -> Self {
        Self(Mutex::new(Some(Vec::new())))
    }

    /// The page listens from now on; what waited for it.
    pub(crate) fn ready(&self) -> Vec<Go> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default()
    }

    /// Another page is on its way.
    pub(crate) fn begin(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default();
    }

    /// Keeps it for later; gives it back if the page listens.
    fn keep(&self, go: Go) -> Option<Go> {
        match &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(waiting) => {
                waiting.push(go);
                None
            }
            None => Some(go),
        }
    }
}

/// Sends the screens somewhere, and brings the window before the person.
pub(crate) fn go<R: Runtime>(app: &AppHandle<R>, go: Go) {
    raise(app);
    if let Some(go) = app.state::<Waiting>().keep(go)
        && let Err(cause) = app.emit("go", go)
    {
        tracing::warn!(%cause, "the window was not told where to go");
    }
}

/// Hands files to the import. What is no text as a path cannot be named to the page, and is left out with a warning.
pub(crate) fn import<R: Runtime>(app: &AppHandle<R>, paths: Vec<PathBuf>) {
    let named = paths.into_iter().filter_map(|path| {
        let path = path.into_os_string().into_string();
        path.inspect_err(|name| tracing::warn!(?name, "a file with such a name cannot be read in")).ok()
    });
    let paths: Vec<String> = named.collect();
    if !paths.is_empty() {
        go(app, Go::Import { paths });
    }
}

/// Brings the window before the person, from wherever it is.
pub(crate) fn raise<R: Runtime>(app: &AppHandle<R>) {
    let Some(window) = app.get_webview_window("main") else { return };
    let raised = window.show().and_then(|()| window.unminimize()).and_then(|()| window.set_focus());
    if let Err(cause) = raised {
        tracing::warn!(%cause, "the window could not be raised");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_before_the_page_listens_waits_for_it() {
        let waiting = Waiting::new();
        assert_eq!(waiting.keep(Go::Keys {}), None);
        assert_eq!(waiting.keep(Go::Palette {}), None);
        assert_eq!(waiting.ready(), [Go::Keys {}, Go::Palette {}]);
        assert_eq!(waiting.keep(Go::Zone {}), Some(Go::Zone {}), "a page that listens is told at once");
        waiting.begin();
        assert_eq!(waiting.keep(Go::Zone {}), None);
        assert_eq!(waiting.ready(), [Go::Zone {}]);
        assert_eq!(waiting.ready(), []);
    }
}
