//! What the columns of a table mean: guessed from their names, shown to a person, changed, and kept for the next table
//! with the same columns. Pure.

use std::{collections::BTreeMap, str::FromStr};

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[ts(export_to = "wire.ts")]
pub enum ColumnField {
    /// When a try left, or an arrival came.
    At,
    /// When the answer was there.
    EndedAt,
    /// How long it took, milliseconds.
    TookMs,
    /// Name of the job.
    Job,
    /// Number of the try in its job.
    N,
    /// HTTP method.
    Method,
    /// Address or path.
    Url,
    /// The key.
    Key,
    /// The `x-request-id`.
    RequestId,
    /// Name of the workspace.
    Workspace,
    /// The whole body, sent or arrived.
    Body,
    /// The words of the post.
    Text,
    /// An account id.
    Account,
    /// A platform.
    Platform,
    /// Status of the answer.
    Status,
    /// Body of the answer.
    AnswerBody,
    /// The answer's `Retry-After`.
    RetryAfter,
    /// How it ended, in a program's words.
    Outcome,
    /// Id of the post.
    Post,
    /// Id of an event: each row is an arrival.
    Event,
    /// Name of an event.
    Name,
    /// When the event happened.
    HappenedAt,
}

impl ColumnField {
    /// Every field, in the order in which people are offered them.
    pub const ALL: [Self; 22] = [
        Self::At,
        Self::EndedAt,
        Self::TookMs,
        Self::Job,
        Self::N,
        Self::Method,
        Self::Url,
        Self::Key,
        Self::RequestId,
        Self::Workspace,
        Self::Body,
        Self::Text,
        Self::Account,
        Self::Platform,
        Self::Status,
        Self::AnswerBody,
        Self::RetryAfter,
        Self::Outcome,
        Self::Post,
        Self::Event,
        Self::Name,
        Self::HappenedAt,
    ];

    /// The word on the command line and in JSON.
    #[must_use]
    pub fn word(self) -> String {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::String(word)) => word,
            _ => String::new(),
        }
    }

    /// Names that programs give such a column, without case, blanks and signs.
    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::At => &[
                "at",
                "time",
                "timestamp",
                "date",
                "datetime",
                "sentat",
                "createdat",
                "receivedat",
                "arrivedat",
                "startedat",
                "started",
                "requestedat",
                "when",
                "logtime",
                "ts",
            ],
            Self::EndedAt => &["endedat", "finishedat", "answeredat", "completedat", "respondedat", "stoppedat", "end"],
            Self::TookMs => &[
                "tookms",
                "durationms",
                "duration",
                "elapsedms",
                "elapsed",
                "latencyms",
                "latency",
                "responsetime",
                "responsetimems",
            ],
            Self::Job => &["job", "jobid", "task", "taskid", "run", "runid", "execution", "executionid", "campaign"],
            Self::N => &["n", "try", "attempt", "attemptnumber", "tryno", "retry", "retries"],
            Self::Method => &["method", "httpmethod", "verb"],
            Self::Url => &["url", "path", "endpoint", "uri", "requesturl", "address"],
            Self::Key => &["key", "idempotencykey", "idempotency"],
            Self::RequestId => &["requestid", "xrequestid", "reqid"],
            Self::Workspace => &["workspace", "team", "environment"],
            Self::Body => &["body", "requestbody", "payload", "request", "requestpayload", "data"],
            Self::Text => &["text", "content", "caption", "message", "words", "posttext", "copy"],
            Self::Account => &["account", "accountid", "page", "pageid", "channel", "channelid"],
            Self::Platform => &["platform", "network", "social"],
            Self::Status => &["status", "statuscode", "httpstatus", "code", "responsecode", "answer", "httpcode"],
            Self::AnswerBody => &["answerbody", "responsebody", "response", "reply", "result"],
            Self::RetryAfter => &["retryafter"],
            Self::Outcome => &["outcome", "error", "errormessage", "exception", "failure"],
            Self::Post => &["post", "postid", "pozypostid", "remoteid"],
            Self::Event => &["event", "eventid", "webhookeventid"],
            Self::Name => &["eventname", "eventtype", "type", "name"],
            Self::HappenedAt => &["happenedat", "eventtime", "eventtimestamp", "occurredat"],
        }
    }
}

impl FromStr for ColumnField {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|field| field.word() == word).ok_or_else(|| {
            let words: Vec<String> = Self::ALL.into_iter().map(Self::word).collect();
            format!("a column cannot hold `{word}`; it can hold {}", words.join(", "))
        })
    }
}

/// What each column of a table holds; a column that is not here is passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export_to = "wire.ts")]
pub struct Mapping {
    /// Name of a column to what it holds.
    pub columns: BTreeMap<String, ColumnField>,
    /// IANA name of the zone for times that bear none.
    pub zone: String,
}

impl Mapping {
    /// The meaning that the names of the columns suggest. Each field is given once, to the column whose name says it
    /// most plainly; times without a zone are taken for UTC until somebody says otherwise.
    #[must_use]
    pub fn guess(headers: &[String]) -> Self {
        let plain: Vec<String> = headers.iter().map(|header| plain(header)).collect();
        let mut columns = BTreeMap::new();
        for field in ColumnField::ALL {
            let found = field.names().iter().find_map(|name| {
                plain.iter().position(|header| header == name).filter(|at| !columns.contains_key(&headers[*at]))
            });
            if let Some(at) = found {
                columns.insert(headers[at].clone(), field);
            }
        }
        // `event` names an event beside an id of its own, else it is the id.
        let holds = |columns: &BTreeMap<String, ColumnField>, wanted| columns.values().any(|field| *field == wanted);
        if plain.iter().any(|header| header == "eventid") {
            for (header, plain) in headers.iter().zip(&plain) {
                if plain == "eventid" {
                    columns.insert(header.clone(), ColumnField::Event);
                } else if plain == "event" && !holds(&columns, ColumnField::Name) {
                    columns.insert(header.clone(), ColumnField::Name);
                } else if plain == "event" {
                    columns.remove(header);
                }
            }
        }
        Self { columns, zone: "UTC".to_owned() }
    }

    /// The same meaning for columns whose names differ in case, blanks and signs only.
    #[must_use]
    pub fn under(self, headers: &[String]) -> Self {
        let known: BTreeMap<String, ColumnField> =
            self.columns.into_iter().map(|(header, field)| (plain(&header), field)).collect();
        let columns = headers
            .iter()
            .filter_map(|header| known.get(&plain(header)).map(|field| (header.clone(), *field)))
            .collect();
        Self { columns, ..self }
    }

    /// What is missing before a table can be read; none if nothing is.
    #[must_use]
    pub fn lacks(&self) -> Option<String> {
        let holds = |field| self.columns.values().any(|own| *own == field);
        if self.zone.parse::<chrono_tz::Tz>().is_err() {
            return Some("the zone is none that is known, such as Europe/London".to_owned());
        }
        if !holds(ColumnField::At) {
            return Some("no column says when".to_owned());
        }
        let something = [ColumnField::Event, ColumnField::Key, ColumnField::Body, ColumnField::Text, ColumnField::Job];
        (!something.into_iter().any(holds))
            .then(|| "no column says what: an event, a key, a body, the words of a post or a job".to_owned())
    }

    /// True if each row is an arrival; else it is a try.
    #[must_use]
    pub fn is_of_arrivals(&self) -> bool {
        self.columns.values().any(|field| matches!(field, ColumnField::Event | ColumnField::Name))
            && !self.columns.values().any(|field| *field == ColumnField::Key)
    }
}

/// The name of a column without case, blanks and signs.
fn plain(header: &str) -> String {
    header.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A set of columns, as a log remembers what they mean: names in order, apart from case, blanks and signs.
#[must_use]
pub fn set_of(headers: &[String]) -> String {
    headers.iter().map(|header| plain(header)).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(headers: &[&str]) -> Vec<(String, String)> {
        let headers: Vec<String> = headers.iter().map(|header| (*header).to_owned()).collect();
        Mapping::guess(&headers).columns.into_iter().map(|(header, field)| (header, field.word())).collect()
    }

    #[test]
    fn names_suggest_what_columns_hold() {
        let found = guess(&["Sent At", "Idempotency-Key", "HTTP status", "response_body", "Content", "Owner"]);
        let wanted = [
            ("Content", "text"),
            ("HTTP status", "status"),
            ("Idempotency-Key", "key"),
            ("Sent At", "at"),
            ("response_body", "answer_body"),
        ];
        assert_eq!(found, wanted.map(|(a, b)| (a.to_owned(), b.to_owned())));
    }

    #[test]
    fn an_event_is_its_id_unless_there_is_one_beside_it() {
        let has = |found: &[(String, String)], header: &str, field: &str| {
            found.contains(&(header.to_owned(), field.to_owned()))
        };
        let beside = guess(&["event_id", "event", "received_at"]);
        assert!(has(&beside, "event_id", "event") && has(&beside, "event", "name"), "{beside:?}");
        assert!(has(&guess(&["event", "time"]), "event", "event"));
    }

    #[test]
    fn what_is_missing_is_said() {
        let mapping = |headers: &[&str]| Mapping::guess(&headers.iter().map(|h| (*h).to_owned()).collect::<Vec<_>>());
        assert!(mapping(&["key"]).lacks().unwrap().contains("when"));
        assert!(mapping(&["time", "owner"]).lacks().unwrap().contains("what"));
        assert_eq!(mapping(&["time", "key"]).lacks(), None);
        assert!(Mapping { zone: "Mars".into(), ..mapping(&["time", "key"]) }.lacks().is_some());
        assert!(mapping(&["time", "event"]).is_of_arrivals() && !mapping(&["time", "key", "type"]).is_of_arrivals());
    }

    #[test]
    fn every_field_has_a_word_that_reads_back() {
        for field in ColumnField::ALL {
            assert_eq!(field.word().parse::<ColumnField>(), Ok(field));
        }
        assert!("colour".parse::<ColumnField>().unwrap_err().contains("retry_after"));
    }
}
