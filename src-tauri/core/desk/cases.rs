//! Cases: what somebody else logged, in a log of its own beside the person's, so that nothing of it mixes with theirs.
//! A case is a folder with a log and a small file that says what people call it. It never receives and never sends.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{
    clock::{Clock, Moment},
    error::{Code, Error, Result},
    store::{self, turn::own_file},
};

/// Folder of the cases inside the data folder.
const FOLDER: &str = "cases";
/// What a case says of itself.
const CARD: &str = "case.json";

/// One case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseLog {
    /// Its name among the cases of this data folder.
    pub id: String,
    /// What people call it.
    pub name: String,
    /// When it was made.
    pub made: Moment,
    /// Where its log lies.
    pub folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Card {
    name: String,
    made: Moment,
}

impl CaseLog {
    /// Makes an empty case.
    ///
    /// # Errors
    /// `Usage` without a name, `Storage` if the folder cannot be written.
    pub(crate) fn make(data: &Path, name: &str, clock: &Clock) -> Result<Self> {
        let name = name.trim().to_owned();
        if name.is_empty() {
            return Err(Error::usage("The case needs a name; nothing was made."));
        }
        let (id, made) = (clock.new_id(), clock.now());
        let folder = data.join(FOLDER).join(&id);
        store::private_folder(&folder)?;
        let card = serde_json::to_vec(&Card { name: name.clone(), made })
            .map_err(|cause| Error::caused(Code::Internal, "A case has no JSON form.", cause))?;
        own_file(&folder.join(CARD))?.write_all(&card)?;
        Ok(Self { id, name, made, folder })
    }

    /// The case of that id.
    ///
    /// # Errors
    /// `NotFound` if there is none.
    pub(crate) fn one(data: &Path, id: &str) -> Result<Self> {
        let all = Self::all(data)?;
        all.into_iter()
            .find(|case| case.id == id)
            .ok_or_else(|| Error::not_found("That case is not on this computer any more."))
    }

    /// Every case of a data folder, newest first.
    ///
    /// # Errors
    /// `Storage` if the folder cannot be read.
    pub(crate) fn all(data: &Path) -> Result<Vec<Self>> {
        let folder = data.join(FOLDER);
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let mut all = Vec::new();
        for entry in fs::read_dir(folder)? {
            let folder = entry?.path();
            // A folder without a card that can be read is none of ours, and is left alone.
            let card = fs::read(folder.join(CARD)).ok().and_then(|text| serde_json::from_slice::<Card>(&text).ok());
            let id = folder.file_name().and_then(|name| name.to_str()).map(str::to_owned);
            if let (Some(card), Some(id)) = (card, id) {
                all.push(Self { id, name: card.name, made: card.made, folder });
            }
        }
        all.sort_by(|a, b| b.made.cmp(&a.made).then_with(|| a.id.cmp(&b.id)));
        Ok(all)
    }

    /// Bytes on the disk.
    #[must_use]
    pub(crate) fn size(&self) -> u64 {
        let files = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        files.filter_map(|file| file.metadata().ok()).map(|known| known.len()).sum()
    }

    /// Deletes the case with all in it.
    ///
    /// # Errors
    /// `Storage` if the folder cannot be removed.
    pub(crate) fn delete(&self) -> Result<()> {
        Ok(fs::remove_dir_all(&self.folder)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_made_listed_and_deleted() {
        let data = tempfile::tempdir().unwrap();
        assert_eq!(CaseLog::all(data.path()).unwrap(), []);
        let clock = Clock::standing(Moment::from_millis(5));
        let first = CaseLog::make(data.path(), " Harbour Shop ", &clock).unwrap();
        clock.set(Moment::from_millis(6));
        let second = CaseLog::make(data.path(), "Ticket 41", &clock).unwrap();
        fs::create_dir_all(data.path().join("cases/something")).unwrap();
        assert_eq!(first.name, "Harbour Shop");
        assert_eq!(CaseLog::all(data.path()).unwrap(), [second.clone(), first.clone()]);
        assert!(first.size() > 0);
        first.delete().unwrap();
        assert_eq!(CaseLog::one(data.path(), &second.id).unwrap(), second);
        assert_eq!(CaseLog::one(data.path(), "../..").unwrap_err().code, Code::NotFound);
        assert!(CaseLog::make(data.path(), " ", &clock).is_err());
    }
}
