//! What the desktop asks of the screens, and how the program behaves on it.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::alerts::Place;

/// Where a menu, the tray, a desktop notice, a dropped file or a second start sends the screens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum Go {
    /// To a screen, by its name.
    Screen {
        /// Its name in the address.
        id: String,
    },
    /// To a job.
    Job {
        /// Its mark.
        id: String,
    },
    /// To a post.
    Post {
        /// Its id at Pozy.
        id: String,
    },
    /// To an event.
    Event {
        /// Its id.
        id: String,
    },
    /// To the arrivals that were set aside.
    SetAside {},
    /// To the import, with these files of this computer; without any a person is asked.
    Import {
        /// Their full paths.
        paths: Vec<String>,
    },
    /// To the command box.
    Palette {},
    /// To the list of keys.
    Keys {},
    /// Saves the case file that is shown.
    SaveCase {},
    /// Changes the looks.
    Theme {
        /// `system`, `light` or `dark`.
        id: String,
    },
    /// Shows all times in the next zone.
    Zone {},
}

impl From<Place> for Go {
    fn from(place: Place) -> Self {
        match place {
            Place::Job(job) => Self::Job { id: job.to_string() },
            Place::Post(post) => Self::Post { id: post.to_string() },
            Place::Event(event) => Self::Event { id: event.to_string() },
            Place::SetAside => Self::SetAside {},
        }
    }
}

/// How the program behaves on the desktop; kept in the person's own log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Habits {
    /// Closing the window keeps receiving; it ends by Quit.
    pub keep_receiving: bool,
    /// Desktop notices call a person.
    pub notices: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self { keep_receiving: true, notices: true }
    }
}

/// Where a post is live on one account. A host opens it by post and account, never by an address from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct LinkRow {
    /// Account id.
    pub account: String,
    /// Platform name, if it was told.
    pub platform: Option<String>,
    /// http or https, without a user name and without secrets.
    pub url: String,
}
