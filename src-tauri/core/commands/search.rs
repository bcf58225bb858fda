//! Search: ids and words by their indexes first, then a look through the log, newest first, a bounded part a call. A
//! screen that stops asking has cancelled it.

use sqlx::SqliteConnection;

use super::wire::{SearchAnswer, SearchArgs, SearchBy, SearchHit, SearchIndex, SearchKind, SearchLooked, Stamp};
use crate::{
    clock::Moment,
    desk::{Desk, Room},
    error::{Error, Result},
    ids::{AccountId, JobMark, PostId, Resource, Seq},
    search::{
        excerpt::{Piece, excerpt},
        fit::{Fit, Row},
        typed::Typed,
        words::words,
    },
    store::{
        pages::Listed,
        search::{self, Arrived, Named, Worded},
        sift::{self, Bounds, Filter},
    },
};

/// Hits of each kind if nobody says.
const PAGE: u32 = 20;
/// Most hits of each kind.
const MOST: u32 = 100;
/// Ids of each kind that begin with what was typed.
const NAMED: u32 = 5;
/// Shortest beginning of an id that is looked for.
const SHORTEST_ID: usize = 3;
/// Arrivals that one look goes through.
const LOOK: u32 = 1_500;
/// Tries that one look goes through; each brings a request and an answer.
const LOOK_TRIES: u32 = 800;
/// A tail of the log that the index has not read yet is looked through at once if it is no longer than this.
const TAIL: i64 = 1_000;
/// Jobs and posts past the index that are looked through at once.
const FRESH: u32 = 500;
/// A number above all others.
const TOP: i64 = i64::MAX;

/// Where the next answer begins; written as its letter and numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cursor {
    /// In the indexes of words, below these numbers.
    Words { message: i64, job: i64, post: i64, indexed: i64, newest: i64 },
    /// In the list of messages, behind this place: only narrowings were typed.
    Narrow(String),
    /// In the log, below this arrival. What words find up to `indexed` was told before.
    Log { below: i64, indexed: i64, newest: i64 },
    /// In the tries, below this one.
    Tries { below: i64, newest: i64, arrivals: i64 },
}

impl Cursor {
    fn read(text: &str) -> Option<Self> {
        let (letter, rest) = text.split_once(':')?;
        if letter == "n" {
            return Some(Self::Narrow(rest.to_owned()));
        }
        let numbers: Vec<i64> = rest.split(':').map(|number| number.parse().ok()).collect::<Option<_>>()?;
        match (letter, numbers.as_slice()) {
            ("w", &[message, job, post, indexed, newest]) => Some(Self::Words { message, job, post, indexed, newest }),
            ("l", &[below, indexed, newest]) => Some(Self::Log { below, indexed, newest }),
            ("t", &[below, newest, arrivals]) => Some(Self::Tries { below, newest, arrivals }),
            _ => None,
        }
    }

    fn write(&self) -> String {
        match self {
            Self::Words { message, job, post, indexed, newest } => {
                format!("w:{message}:{job}:{post}:{indexed}:{newest}")
            }
            Self::Narrow(place) => format!("n:{place}"),
            Self::Log { below, indexed, newest } => format!("l:{below}:{indexed}:{newest}"),
            Self::Tries { below, newest, arrivals } => format!("t:{below}:{newest}:{arrivals}"),
        }
    }
}

pub(super) async fn search(desk: &Desk, args: SearchArgs) -> Result<SearchAnswer> {
    let room = desk.room().await;
    let pool = room.store.pool();
    let cursor = args.after.as_deref().map(|text| {
        Cursor::read(text).ok_or_else(|| Error::usage("That part of the search does not exist. Start it anew."))
    });
    let cursor = cursor.transpose()?;
    let limit = args.limit.unwrap_or(PAGE).clamp(1, MOST);
    let mut search = Search { typed: Typed::read(&args.text), limit, room: &room, hits: Vec::new() };
    if cursor.is_none() {
        search.named(args.text.trim()).await?;
    }
    let narrowed = match &cursor {
        None => (search.typed.terms.is_empty() && !search.typed.is_empty()).then_some(None),
        Some(Cursor::Narrow(place)) => Some(Some(place.as_str())),
        Some(_) => None,
    };
    let next = match narrowed {
        Some(after) => search.narrowed(after).await?,
        None => None,
    };
    // One snapshot: a row that is written or indexed meanwhile is in all of it or in none. Nothing below asks for a
    // second connection.
    let mut reading = pool.begin().await?;
    let extent = search::extent(&mut reading).await?;
    let index = SearchIndex { upto: extent.indexed.0, of: extent.newest.0 };
    let (next, looked) = match cursor {
        _ if narrowed.is_some() || search.typed.is_empty() => (next, None),
        None => search.first(&mut reading, index).await?,
        Some(cursor) => search.further(&mut reading, cursor).await?,
    };
    Ok(SearchAnswer { hits: search.hits, next: next.map(|cursor| cursor.write()), looked, index })
}

struct Search<'a> {
    typed: Typed,
    limit: u32,
    room: &'a Room,
    hits: Vec<SearchHit>,
}

type Step = (Option<Cursor>, Option<SearchLooked>);

impl Search<'_> {
    /// What the indexes know at once, and what is too new for them.
    async fn first(&mut self, reading: &mut SqliteConnection, index: SearchIndex) -> Result<Step> {
        let (indexed, newest) = (index.upto, index.of);
        let Some(expression) = self.typed.expression() else {
            return Ok((after_words(newest + 1, 0, newest), None));
        };
        let next = self.words(reading, &expression, (TOP, TOP, TOP)).await?;
        for job in search::fresh_jobs(reading, FRESH).await? {
            self.worded(&job, SearchKind::Job, JobMark::as_str);
        }
        for post in search::fresh_posts(reading, FRESH).await? {
            self.worded(&post, SearchKind::Post, PostId::as_str);
        }
        let mut below = newest + 1;
        let tail = newest - indexed;
        if (1..=TAIL).contains(&tail) {
            let limit = u32::try_from(tail).unwrap_or(LOOK);
            for arrived in search::slice(reading, Seq(below), limit).await? {
                self.arrived(&arrived, indexed);
            }
            below = indexed + 1;
        }
        Ok(match next {
            Some((message, job, post)) => {
                (Some(Cursor::Words { message, job, post, indexed, newest: below - 1 }), None)
            }
            None => (after_words(below, indexed, newest), None),
        })
    }

    async fn further(&mut self, reading: &mut SqliteConnection, cursor: Cursor) -> Result<Step> {
        match cursor {
            Cursor::Words { message, job, post, indexed, newest } => {
                let next = match self.typed.expression() {
                    Some(expression) => self.words(reading, &expression, (message, job, post)).await?,
                    None => None,
                };
                Ok(match next {
                    Some((message, job, post)) => (Some(Cursor::Words { message, job, post, indexed, newest }), None),
                    None => (after_words(newest + 1, indexed, newest), None),
                })
            }
            Cursor::Narrow(_) => Ok((None, None)),
            Cursor::Log { below, indexed, newest } => self.log(reading, below, indexed, newest).await,
            Cursor::Tries { below, newest, arrivals } => self.tries(reading, below, newest, arrivals).await,
        }
    }

    /// A page of each index of words; gives where the next one begins.
    async fn words(
        &mut self,
        reading: &mut SqliteConnection,
        expression: &str,
        (message, job, post): (i64, i64, i64),
    ) -> Result<Option<(i64, i64, i64)>> {
        let limit = self.limit;
        let full = |found: usize| found >= usize::try_from(limit).unwrap_or(usize::MAX);
        // Several arrivals tell of one event and several events of one post, so more of them are read.
        let messages = search::messages(reading, expression, Seq(message), MOST.max(limit)).await?;
        let jobs = search::jobs(reading, expression, job, limit).await?;
        let posts = search::posts(reading, expression, post, limit).await?;
        let many = messages.len() >= usize::try_from(MOST.max(limit)).unwrap_or(usize::MAX);
        let next = (
            messages.last().filter(|_| many).map_or(0, |last| last.seq.0),
            jobs.last().filter(|_| full(jobs.len())).map_or(0, |last| last.number),
            posts.last().filter(|_| full(posts.len())).map_or(0, |last| last.number),
        );
        for found in &messages {
            if self.typed.narrow.admits(&found.row()) {
                self.message(found, SearchBy::Words);
            }
        }
        for found in &jobs {
            self.worded(found, SearchKind::Job, JobMark::as_str);
        }
        for found in &posts {
            self.worded(found, SearchKind::Post, PostId::as_str);
        }
        Ok((next != (0, 0, 0)).then_some(next))
    }

    /// Messages that only narrowings ask for, last arrival first.
    async fn narrowed(&mut self, after: Option<&str>) -> Result<Option<Cursor>> {
        let narrow = &self.typed.narrow;
        let filter = Filter {
            name: narrow.name.clone(),
            platform: narrow.platform.clone(),
            account: narrow.account.clone().map(AccountId::new),
            resource: narrow.post.as_ref().map(|post| Resource::post(&PostId::new(post))),
            ..Filter::default()
        };
        let limit = usize::try_from(self.limit).unwrap_or_default();
        let found = sift::sift(self.room.store.pool(), &filter, Bounds { after, since: None }, limit).await?;
        for row in found.rows {
            if let Listed::Event(row) = row {
                self.hit(SearchHit {
                    kind: SearchKind::Message,
                    id: row.event.to_string(),
                    seq: None,
                    by: SearchBy::Id,
                    at: Some(row.last_arrived.into()),
                    text: row.text.as_deref().map(|text| self.excerpt(text)).unwrap_or_default(),
                    name: Some(row.name),
                });
            }
        }
        Ok(found.next.map(Cursor::Narrow))
    }

    /// One look through the arrivals below a number.
    async fn log(&mut self, reading: &mut SqliteConnection, below: i64, indexed: i64, newest: i64) -> Result<Step> {
        let rows = search::slice(reading, Seq(below), LOOK).await?;
        for arrived in &rows {
            self.arrived(arrived, indexed);
        }
        let tries = search::newest_try(reading).await?;
        let full = rows.len() == usize::try_from(LOOK).unwrap_or(usize::MAX);
        let last = rows.last();
        let below = last.map_or(1, |last| last.seq.0);
        let next = match (full, tries) {
            (true, _) => Some(Cursor::Log { below, indexed, newest }),
            (false, 1..) => Some(Cursor::Tries { below: tries + 1, newest: tries, arrivals: newest }),
            (false, _) => None,
        };
        let rows = if full { newest - below + 1 } else { newest };
        let looked = SearchLooked { rows, of: newest + tries, back_to: last.map(|last| last.at.into()) };
        Ok((next, Some(looked)))
    }

    /// One look through the tries below a number.
    async fn tries(&mut self, reading: &mut SqliteConnection, below: i64, newest: i64, arrivals: i64) -> Result<Step> {
        let found = search::tries(reading, below, LOOK_TRIES).await?;
        for tried in &found {
            let row = Row { brought: &tried.brought, ..Row::default() };
            if self.typed.fit(&row).is_some() {
                self.hit(SearchHit {
                    kind: SearchKind::Job,
                    id: tried.mark.to_string(),
                    seq: None,
                    by: SearchBy::Brought,
                    at: Some(tried.at.into()),
                    name: None,
                    text: Vec::new(),
                });
            }
        }
        let full = found.len() == usize::try_from(LOOK_TRIES).unwrap_or(usize::MAX);
        let last = found.last();
        let below = last.map_or(1, |last| last.number);
        let next = full.then_some(Cursor::Tries { below, newest, arrivals });
        let rows = arrivals + if full { newest - below + 1 } else { newest };
        let looked = SearchLooked { rows, of: arrivals + newest, back_to: last.map(|last| last.at.into()) };
        Ok((next, Some(looked)))
    }

    /// Ids and names that begin with what was typed, if it reads like one.
    async fn named(&mut self, text: &str) -> Result<()> {
        if text.len() < SHORTEST_ID || !text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'"') {
            return Ok(());
        }
        let pool = self.room.store.pool();
        for named in search::named(pool, text, NAMED).await? {
            let (kind, id, at, words) = match named {
                Named::Post(post) => {
                    let (words, at) = search::words_of_post(pool, &post).await?;
                    (SearchKind::Post, post.to_string(), at, words)
                }
                Named::Event(event, at) => (SearchKind::Message, event.to_string(), Some(at), None),
                Named::Job(mark, at) => (SearchKind::Job, mark.to_string(), Some(at), None),
                Named::Account(account) => (SearchKind::Account, account, None, None),
                Named::Name(name) => (SearchKind::Name, name, None, None),
            };
            let text = words.map(|words| self.excerpt(&words)).unwrap_or_default();
            let at = at.map(Stamp::from);
            self.hit(SearchHit { kind, id, seq: None, by: SearchBy::Id, at, name: None, text });
        }
        Ok(())
    }

    /// An arrival that was looked at; what words find up to `indexed` was told before.
    fn arrived(&mut self, arrived: &Arrived, indexed: i64) {
        match self.typed.fit(&arrived.row()) {
            Some(Fit::ByWords) if arrived.seq.0 > indexed => self.message(arrived, SearchBy::Words),
            Some(Fit::Otherwise) => self.message(arrived, SearchBy::Brought),
            _ => {}
        }
    }

    /// A message, and with its words the post it is about.
    fn message(&mut self, found: &Arrived, by: SearchBy) {
        let text = found.text.as_deref().map(|text| self.excerpt(text)).unwrap_or_default();
        let post = found.resource.as_ref().and_then(|resource| resource.as_str().strip_prefix("post:"));
        if let (Some(post), SearchBy::Words) = (post, by) {
            self.hit(SearchHit {
                kind: SearchKind::Post,
                id: post.to_owned(),
                seq: None,
                by,
                at: Some(found.at.into()),
                name: None,
                text: text.clone(),
            });
        }
        self.hit(SearchHit {
            kind: SearchKind::Message,
            id: found.event.as_ref().map_or_else(|| found.seq.0.to_string(), ToString::to_string),
            seq: found.event.is_none().then_some(found.seq.0),
            by,
            at: Some(found.at.into()),
            name: found.name.clone(),
            text,
        });
    }

    /// A job or a post whose texts fit, with the one that does.
    fn worded<Id>(&mut self, found: &Worded<Id>, kind: SearchKind, id: impl Fn(&Id) -> &str) {
        let fits = |text: &&String| self.typed.holds(&words(text));
        let text = found.texts.values().find(fits);
        // Terms that stand in different texts of one thing fit it as a whole.
        let all: Vec<_> = found.texts.values().flat_map(|text| words(text)).collect();
        if !found.admitted(&self.typed.narrow) || (text.is_none() && !self.typed.holds(&all)) {
            return;
        }
        let text = text.or_else(|| found.texts.values().next()).map(|text| self.excerpt(text)).unwrap_or_default();
        let at = (found.at != Moment(0)).then(|| found.at.into());
        self.hit(SearchHit {
            kind,
            id: id(&found.id).to_owned(),
            seq: None,
            by: SearchBy::Words,
            at,
            name: None,
            text,
        });
    }

    fn excerpt(&self, text: &str) -> Vec<Piece> {
        excerpt(text, &self.typed)
    }

    /// Keeps a hit, once a thing and answer.
    fn hit(&mut self, hit: SearchHit) {
        if !self.hits.iter().any(|known| known.kind == hit.kind && known.id == hit.id) {
            self.hits.push(hit);
        }
    }
}

/// Behind the words comes the log.
const fn after_words(below: i64, indexed: i64, newest: i64) -> Option<Cursor> {
    Some(Cursor::Log { below, indexed, newest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_comes_back() {
        let all = [
            Cursor::Words { message: 9, job: 0, post: 3, indexed: 4, newest: 12 },
            Cursor::Narrow("17:event:ev:1".into()),
            Cursor::Log { below: 5, indexed: 4, newest: 12 },
            Cursor::Tries { below: 2, newest: 3, arrivals: 12 },
        ];
        for cursor in all {
            assert_eq!(Cursor::read(&cursor.write()), Some(cursor));
        }
        for none in ["", "w:1", "x:1:2:3", "l:a:b:c"] {
            assert_eq!(Cursor::read(none), None);
        }
    }
}
