//! The columns of a table of posts, and a row as a request body. Pure.

use csv::ByteRecord;

use super::reading::Post;
use crate::outbound::body::{self, When};

/// A column that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Text,
    Accounts,
    Platform,
    Account,
    Media,
    ScheduledFor,
    Timezone,
    Key,
    Draft,
}

impl Column {
    /// By its name, without regard to case, spaces and strokes.
    fn named(name: &str) -> Option<Self> {
        let plain: String = name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect();
        Some(match plain.as_str() {
            "text" | "content" => Self::Text,
            "accounts" => Self::Accounts,
            "platform" => Self::Platform,
            "account" | "accountid" => Self::Account,
            "media" | "mediaurls" => Self::Media,
            "scheduledfor" => Self::ScheduledFor,
            "timezone" => Self::Timezone,
            "key" => Self::Key,
            "draft" => Self::Draft,
            _ => return None,
        })
    }
}

/// What stands where in a table.
#[derive(Clone, Debug)]
pub(super) struct Columns(Vec<Option<Column>>);

impl Columns {
    /// True if a first row looks like the head of a table of posts.
    pub(super) fn stand_in(head: Option<&ByteRecord>) -> bool {
        head.is_some_and(|head| {
            let known = head.iter().filter(|cell| Column::named(&String::from_utf8_lossy(cell)).is_some()).count();
            head.len() > 1 && known > 1
        })
    }

    /// Reads the head; beside the columns the names of those that are not known.
    ///
    /// # Errors
    /// What the head lacks, as the rest of a sentence about the file.
    pub(super) fn of(head: Option<&ByteRecord>) -> Result<(Self, Vec<String>), String> {
        let names: Vec<String> =
            head.into_iter().flatten().map(|cell| String::from_utf8_lossy(cell).trim().to_owned()).collect();
        let columns: Vec<Option<Column>> = names.iter().map(|name| Column::named(name)).collect();
        let has = |wanted: Column| columns.iter().filter(|column| **column == Some(wanted)).count();
        if has(Column::Text) + has(Column::Media) == 0 {
            return Err("names no words: its first row must name the columns, such as text and accounts".to_owned());
        }
        if has(Column::Accounts) + has(Column::Account) == 0 {
            return Err(
                "names no accounts: its first row needs the column accounts, or platform and account".to_owned()
            );
        }
        for (at, column) in columns.iter().enumerate() {
            if column.is_some() && columns[..at].contains(column) {
                return Err(format!("names a column twice: {}", names[at]));
            }
        }
        let unknown = names.iter().zip(&columns).filter(|(_, column)| column.is_none());
        let unknown = unknown.map(|(name, _)| name.clone()).filter(|name| !name.is_empty()).collect();
        Ok((Self(columns), unknown))
    }

    /// The post of a row.
    ///
    /// # Errors
    /// Why it is none.
    pub(super) fn post(&self, record: &ByteRecord) -> Result<Post, String> {
        let breaks = record.iter().flat_map(<[u8]>::trim_ascii_end).filter(|byte| **byte == b'\n').count();
        if record.len() != self.0.len() {
            let open = if breaks > 0 {
                format!(" A quote may be left open: {} lines went into this one.", breaks + 1)
            } else {
                String::new()
            };
            return Err(format!("It has {} cells where the head has {}.{open}", record.len(), self.0.len()));
        }
        let mut cells = Vec::with_capacity(record.len());
        for cell in record {
            cells.push(std::str::from_utf8(cell).map_err(|_| "It is not written in UTF-8. Save the file as UTF-8.")?);
        }
        let cell = |wanted: Column| {
            let at = self.0.iter().position(|column| *column == Some(wanted));
            at.map_or("", |at| cells[at])
        };
        let zone = cell(Column::Timezone).trim();
        let time = cell(Column::ScheduledFor).trim().replacen(' ', "T", 1);
        let when = match time.as_str() {
            _ if yes(cell(Column::Draft))? => When::Never,
            "" => When::Now,
            time => When::At { time, zone: Some(zone).filter(|zone| !zone.is_empty()) },
        };
        let targets = targets(cell(Column::Accounts), cell(Column::Platform), cell(Column::Account))?;
        let media: Vec<&str> =
            cell(Column::Media).split([' ', '\n', '\r', '\t', '|']).filter(|url| !url.is_empty()).collect();
        if let Some(url) = media.iter().find(|url| !url.starts_with("https://") && !url.starts_with("http://")) {
            return Err(format!("`{url}` is no address of a picture or film."));
        }
        let body = body::of(cell(Column::Text), &targets, &media, when).to_string().into_bytes();
        let key = cell(Column::Key).trim();
        Ok(Post { key: (!key.is_empty()).then(|| key.to_owned()), body })
    }
}

fn yes(cell: &str) -> Result<bool, String> {
    match cell.trim().to_ascii_lowercase().as_str() {
        "" | "no" | "false" | "0" => Ok(false),
        "yes" | "true" | "1" => Ok(true),
        other => Err(format!("`{other}` in the column draft is neither yes nor no.")),
    }
}

/// Platform and account of each target: `platform:account` with spaces, commas, semicolons or bars between them, or one
/// of two columns.
fn targets<'a>(accounts: &'a str, platform: &'a str, account: &'a str) -> Result<Vec<(&'a str, &'a str)>, String> {
    let parts = accounts.split(|sign: char| sign.is_whitespace() || matches!(sign, ',' | ';' | '|'));
    let mut found = Vec::new();
    for part in parts.filter(|part| !part.is_empty()) {
        match part.split_once(':') {
            Some((platform, account)) if !platform.is_empty() && !account.is_empty() => found.push((platform, account)),
            _ => return Err(format!("`{part}` is no account: write platform:account, such as linkedin:ac_7.")),
        }
    }
    match (platform.trim(), account.trim()) {
        ("", "") => {}
        ("", _) | (_, "") => return Err("Of platform and account one is empty.".to_owned()),
        (platform, account) => found.push((platform, account)),
    }
    Ok(found)
}
