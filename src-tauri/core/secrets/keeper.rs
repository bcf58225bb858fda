//! Where the secrets of a workspace are kept on this computer: the keychain of the desktop if one answers, else a
//! file that only its owner can read, which the screen then says in so many words.

use std::{
    collections::BTreeMap,
    fs,
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use keyring::v1::Entry;

use super::Secret;
use crate::{
    error::{Code, Error, Result},
    store::turn::own_options,
};

/// Name of the program in the keychain.
const SERVICE: &str = "Reprise";
/// Name of the file in the data folder.
const FILE: &str = "secrets.json";

/// Which of a workspace's secrets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The key that calls Pozy.
    ApiKey,
    /// The secret that arrivals are signed with.
    WebhookSecret,
}

impl Which {
    const fn word(self) -> &'static str {
        match self {
            Self::ApiKey => "api_key",
            Self::WebhookSecret => "webhook_secret",
        }
    }
}

/// Where new secrets go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The keychain of the desktop.
    Keychain,
    /// A file of mode 0600 in the data folder.
    File,
}

impl Place {
    /// `keychain` or `file`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Keychain => "keychain",
            Self::File => "file",
        }
    }
}

/// Keeps secrets. Its calls may wait for the desktop's password prompt: call them where waiting is allowed, never on
/// the window's or an async thread.
#[derive(Debug)]
pub struct Keeper {
    log: String,
    file: PathBuf,
    place: Place,
    turn: Mutex<()>,
}

impl Keeper {
    /// Finds out where secrets can be kept, by keeping and forgetting one: a keychain that is there but locked can
    /// look well until it is used. `log` tells the logs of one computer apart.
    #[must_use]
    pub fn find(dir: &Path, log: &str) -> Self {
        let place = if keychain_works(log) { Place::Keychain } else { Place::File };
        Self { log: log.to_owned(), file: dir.join(FILE), place, turn: Mutex::new(()) }
    }

    /// Where new secrets go.
    #[must_use]
    pub const fn place(&self) -> Place {
        self.place
    }

    /// One sentence that says where, for the person.
    #[must_use]
    pub fn says(&self) -> String {
        match self.place {
            Place::Keychain => "Keys and secrets are kept in this computer's keychain.".to_owned(),
            Place::File => format!(
                "No keychain answers on this computer, so keys and secrets are kept unprotected in {}, which only \
                 your user can read.",
                self.file.display()
            ),
        }
    }

    /// The secret of a workspace, from the keychain or else from the file.
    ///
    /// # Errors
    /// `Storage` if the file is there and cannot be read.
    pub fn get(&self, workspace: i64, which: Which) -> Result<Option<Secret>> {
        if self.place == Place::Keychain
            && let Ok(entry) = self.entry(workspace, which)
            && let Ok(text) = entry.get_password()
        {
            return Ok(Secret::new(&text));
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(self.read()?.get(&name(workspace, which)).and_then(|text| Secret::new(text)))
    }

    /// Keeps a secret, or forgets it with `None`. What was kept elsewhere before is gone afterwards.
    ///
    /// # Errors
    /// `Storage` if the place refuses; nothing is kept then.
    pub fn set(&self, workspace: i64, which: Which, secret: Option<&Secret>) -> Result<()> {
        let in_keychain = self.place == Place::Keychain;
        if in_keychain {
            self.set_in_keychain(workspace, which, secret)?;
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = self.read()?;
        let before = all.clone();
        match secret.filter(|_| !in_keychain) {
            Some(secret) => all.insert(name(workspace, which), secret.reveal().to_owned()),
            None => all.remove(&name(workspace, which)),
        };
        if all == before { Ok(()) } else { self.write(&all) }
    }

    fn set_in_keychain(&self, workspace: i64, which: Which, secret: Option<&Secret>) -> Result<()> {
        let entry = self.entry(workspace, which)?;
        let done = match secret {
            Some(secret) => entry.set_password(secret.reveal()),
            None => match entry.delete_credential() {
                Err(keyring::Error::NoEntry) => Ok(()),
                other => other,
            },
        };
        done.map_err(|cause| {
            Error::caused(
                Code::Storage,
                "The keychain refused, so the secret was not kept. Unlock it and try once more.",
                cause,
            )
        })
    }

    fn entry(&self, workspace: i64, which: Which) -> Result<Entry> {
        Entry::new(SERVICE, &format!("{}/{}", self.log, name(workspace, which)))
            .map_err(|cause| Error::caused(Code::Storage, "The keychain cannot be reached.", cause))
    }

    fn read(&self) -> Result<BTreeMap<String, String>> {
        match fs::read(&self.file) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|_| {
                Error::new(
                    Code::Storage,
                    format!("{} cannot be read as it is. Move it away and enter the keys again.", self.file.display()),
                )
            }),
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(BTreeMap::new()),
            Err(cause) => Err(cause.into()),
        }
    }

    /// Replaces the file in one step; at no moment can another user read it.
    fn write(&self, all: &BTreeMap<String, String>) -> Result<()> {
        if all.is_empty() {
            return fs::remove_file(&self.file).map_err(Error::from);
        }
        let fresh = self.file.with_extension("new");
        let mut options = own_options();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&fresh)?;
        file.write_all(
            &serde_json::to_vec(all).map_err(|cause| Error::caused(Code::Internal, "Secrets have no form.", cause))?,
        )?;
        file.sync_all()?;
        fs::rename(&fresh, &self.file)?;
        Ok(())
    }
}

fn name(workspace: i64, which: Which) -> String {
    format!("{workspace}/{}", which.word())
}

fn keychain_works(log: &str) -> bool {
    let Ok(entry) = Entry::new(SERVICE, &format!("{log}/probe")) else { return false };
    entry.set_password("probe").is_ok() && entry.delete_credential().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A keeper without a keychain, whatever the computer has.
    fn on_file(dir: &Path) -> Keeper {
        Keeper { log: "log".into(), file: dir.join(FILE), place: Place::File, turn: Mutex::new(()) }
    }

    #[test]
    fn the_file_keeps_and_forgets_and_only_its_owner_can_read_it() {
        let dir = tempfile::tempdir().unwrap();
        let keeper = on_file(dir.path());
        let key = Secret::new("sk_pear").unwrap();
        keeper.set(1, Which::ApiKey, Some(&key)).unwrap();
        assert_eq!(keeper.get(1, Which::ApiKey).unwrap(), Some(key));
        assert_eq!(keeper.get(2, Which::ApiKey).unwrap(), None);
        assert_eq!(keeper.get(1, Which::WebhookSecret).unwrap(), None);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(fs::metadata(dir.path().join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        }
        keeper.set(1, Which::ApiKey, None).unwrap();
        assert!(!dir.path().join(FILE).exists(), "the last one takes the file along");
    }

    #[test]
    fn a_torn_file_is_named_and_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(FILE), "{torn").unwrap();
        let keeper = on_file(dir.path());
        let problem = keeper.get(1, Which::ApiKey).unwrap_err();
        assert!(problem.message.contains(FILE));
        assert!(keeper.set(1, Which::ApiKey, Secret::new("x").as_ref()).is_err());
        assert_eq!(fs::read_to_string(dir.path().join(FILE)).unwrap(), "{torn");
    }
}
