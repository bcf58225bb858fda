//! Forecasts on the log: what an act is about, what the log knows of it, and whether a person's word covers it. The
//! same plan is foretold before the click and once more in the transaction that starts it (design 4.6).

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use serde_json::Value;

use super::{
    connection::Connection,
    forecast::{
        self, Act, Beside, Effect, Forecast, Of, Question, Risk,
        known::{Known, RowTarget},
        words::Words,
    },
    job::{BodyHash, Facts, Origin},
    lock::JobLock,
    outcome,
    schedule::Trap,
};
use crate::{
    clock::{Clock, Moment},
    error::{Error, Result},
    ids::{AccountId, JobId, JobMark, PostId, WorkspaceId},
    pozy::contract::Contract,
    store::{
        Store, contents, job_facts,
        known::{self, Wanted},
    },
};

/// Confirmations that wait for their click; older ones lapse.
const WAITING: usize = 256;

/// One act, with all that decides it besides the log and the time.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The act.
    pub act: Act,
    /// The job it is about, row and name; none for a new post.
    pub job: Option<(JobId, JobMark)>,
    /// Path of the call.
    pub path: String,
    /// The key, if it was chosen before.
    pub key: Option<String>,
    /// The bytes that are sent, or from which a Post again takes its part.
    pub body: Vec<u8>,
    /// Hash of those bytes.
    pub hash: BodyHash,
    /// The accounts a person chose for a Post again; none leaves it to the forecast.
    pub accounts: Option<Vec<AccountId>>,
    /// The workspace it goes to.
    pub workspace: WorkspaceId,
    /// Name of another workspace or API key than the job's own.
    pub elsewhere: Option<String>,
}

/// A forecast with what it is about.
#[derive(Clone, Debug)]
pub struct Foretold {
    /// The forecast.
    pub forecast: Forecast,
    /// The accounts it is about.
    pub accounts: Vec<AccountId>,
    /// Known posts whose state it rests on: fetched before anything leaves that is not safe.
    pub posts: Vec<PostId>,
    /// Posts that only messages told of and that are taken for a lost try's own: fetched even before what is safe.
    pub taken: Vec<PostId>,
    /// What may stand on those accounts already, for a person to compare.
    pub beside: Vec<Beside>,
    /// Why the planned time cannot be taken as it stands.
    pub trap: Option<Trap>,
}

impl Plan {
    /// An act on a job of the log. With a connection, row j is seen to; `workspace` names another one outright.
    ///
    /// # Errors
    /// `NotFound` if there is no such job, `Refused` if its bytes are not in the log, `Storage`.
    pub async fn on(
        store: &Store,
        act: Act,
        mark: &JobMark,
        through: Option<&Connection>,
        workspace: Option<&str>,
    ) -> Result<Self> {
        let facts = job_facts::by_mark(store.pool(), mark).await?;
        let hash = facts.body.clone().ok_or_else(no_bytes)?;
        let body = contents::get(store.pool(), &hash).await?;
        let elsewhere = match (workspace, through) {
            (Some(name), _) => (name != facts.workspace_name).then(|| name.to_owned()),
            (None, Some(connection)) => elsewhere(&facts, connection),
            (None, None) => None,
        };
        Ok(Self {
            act,
            job: Some((facts.id, facts.mark)),
            path: facts.path,
            key: facts.key,
            body,
            hash,
            accounts: None,
            workspace: facts.tied.unwrap_or(facts.workspace),
            elsewhere,
        })
    }

    /// A new post; `key` is one that a person gave.
    #[must_use]
    pub fn new(path: &str, key: Option<&str>, body: &[u8], connection: &Connection) -> Self {
        Self {
            act: Act::Submit,
            job: None,
            path: path.to_owned(),
            key: key.map(str::to_owned),
            body: body.to_vec(),
            hash: contents::body_hash(body),
            accounts: None,
            workspace: connection.workspace,
            elsewhere: None,
        }
    }

    /// The same for these accounts alone.
    #[must_use]
    pub fn only(mut self, accounts: Option<Vec<AccountId>>) -> Self {
        self.accounts = accounts;
        self
    }

    /// The same with other words: the `content` of the body is replaced, all else stays.
    ///
    /// # Errors
    /// `Refused` if the body has no such part.
    pub fn saying(mut self, content: Option<&str>) -> Result<Self> {
        let Some(content) = content else { return Ok(self) };
        let mut body: Value = serde_json::from_slice(&self.body).map_err(|_| no_parts())?;
        let Some(old) = body.get_mut("content") else { return Err(no_parts()) };
        if old.as_str() == Some(content) {
            return Ok(self);
        }
        *old = content.into();
        self.body = body.to_string().into_bytes();
        self.hash = contents::body_hash(&self.body);
        Ok(self)
    }

    /// Foretells from what is stored at this minute.
    ///
    /// # Errors
    /// `Storage` if the log or the locks cannot be read.
    pub async fn foretell(&self, store: &Store, clock: &Clock, contract: &Contract) -> Result<Foretold> {
        self.foretell_among(store, clock, contract, &[]).await
    }

    /// As [`Plan::foretell`], as if these rows of the same file had been sent before it.
    ///
    /// # Errors
    /// `Storage` if the log or the locks cannot be read.
    pub async fn foretell_among(
        &self,
        store: &Store,
        clock: &Clock,
        contract: &Contract,
        rows: &[RowTarget],
    ) -> Result<Foretold> {
        let newest = job_facts::newest(store.pool()).await?;
        let now = clock.now();
        let facts = match &self.job {
            Some((job, _)) => Some(job_facts::by_id(store.pool(), *job).await?),
            None => None,
        };
        let held = match &facts {
            Some(facts) if facts.is_open() => JobLock::is_held(store.dir(), &facts.mark)?,
            _ => false,
        };
        let words = Words::of(&self.body);
        let mut known = known::read_from(store.pool(), &self.wanted(&words, now, contract)?).await?;
        let beside = |row: &&RowTarget| words.places.iter().any(|place| place.account == row.account);
        known.rows = rows.iter().filter(beside).cloned().collect();
        Ok(self.judge(facts.as_ref(), held, &words, &known, newest, now, contract))
    }

    /// As [`Plan::foretell`], from inside the transaction that starts the act and under the job's lock.
    ///
    /// # Errors
    /// `Storage` if the log cannot be read.
    pub fn foretell_written(
        &self,
        connection: &rusqlite::Connection,
        now: Moment,
        contract: &Contract,
    ) -> Result<Foretold> {
        let newest = job_facts::newest_written(connection)?;
        let facts = self.job.as_ref().map(|(job, _)| job_facts::written(connection, *job)).transpose()?;
        let words = Words::of(&self.body);
        let known = known::written(connection, &self.wanted(&words, now, contract)?)?;
        Ok(self.judge(facts.as_ref(), false, &words, &known, newest, now, contract))
    }

    /// What is looked for, if our clock shows `now`: where it was set back, what is recent by it counts.
    pub(super) fn wanted(&self, words: &Words, now: Moment, contract: &Contract) -> Result<Wanted> {
        let job = self.job.as_ref().map(|(job, _)| *job);
        // A day more than the window, since clocks and publishing times are known roughly.
        let since = now.plus_seconds(-(contract.near_window_h.max(contract.content_window_h) + 24) * 3_600);
        let sure_ns = (contract.key_life_h * 60 - contract.too_close_min) * 60 * Moment::SECOND;
        Wanted::of(job, self.workspace, self.key.as_deref(), words, since, sure_ns)
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one question, read in two ways")]
    fn judge(
        &self,
        facts: Option<&Facts>,
        held: bool,
        words: &Words,
        known: &Known,
        newest: Moment,
        clock: Moment,
        contract: &Contract,
    ) -> Foretold {
        let now = clock.max(newest);
        let judged = facts.map(|facts| outcome::judge(facts, held, newest, now, contract));
        let of = facts.zip(judged.as_ref()).map(|(facts, judged)| Of { facts, judged });
        let whole = Question {
            act: self.act,
            of,
            path: &self.path,
            words,
            keyed: self.act != Act::PostAgain && self.key.is_some(),
            body: Some(&self.hash),
            known,
            workspace: self.workspace,
            elsewhere: self.elsewhere.as_deref(),
            clock,
            now,
            contract,
        };
        let accounts = match (&self.accounts, self.act) {
            (Some(chosen), _) => chosen.clone(),
            (None, Act::PostAgain) => forecast::preselected(&words.places, &forecast::own_standings(&whole)),
            (None, _) => words.places.iter().map(|place| place.account.clone()).collect(),
        };
        let part = words.clone().only(&accounts);
        let question = Question { words: &part, ..whole };
        Foretold {
            forecast: forecast::forecast(&question),
            posts: forecast::rests_on(&question, forecast::FETCHED),
            taken: forecast::taken_for_own(&question),
            beside: forecast::beside(&question),
            accounts,
            trap: words.trap.clone(),
        }
    }

    /// The bytes for `accounts`: the very same ones if it is all of them.
    ///
    /// # Errors
    /// `Refused` if none is left, or if the body cannot be taken apart.
    pub fn body_for(&self, accounts: &[AccountId]) -> Result<Vec<u8>> {
        let words = Words::of(&self.body);
        if words.places.iter().all(|place| accounts.contains(&place.account)) {
            return Ok(self.body.clone());
        }
        let mut body: Value = serde_json::from_slice(&self.body).map_err(|_| no_parts())?;
        let chosen = |target: &Value| {
            let account = target["accountId"].as_str().or_else(|| target["accountId"]["_id"].as_str());
            account.is_some_and(|account| accounts.iter().any(|chosen| chosen.as_str() == account))
        };
        match body["platforms"].as_array_mut() {
            Some(targets) => targets.retain(chosen),
            None => return Err(Error::refused("This job names no accounts to choose from. Nothing was sent.")),
        }
        if body["platforms"].as_array().is_none_or(Vec::is_empty) {
            return Err(Error::refused("None of those accounts belongs to this job. Nothing was sent."));
        }
        Ok(body.to_string().into_bytes())
    }
}

fn no_parts() -> Error {
    Error::refused("The words of this job cannot be taken apart. Nothing was sent.")
}

fn no_bytes() -> Error {
    Error::refused("The bytes of this job are not in the log, so it cannot be sent.")
}

/// Why `connection` is row j for the job: another workspace, or another API key than the key was first sent with.
fn elsewhere(facts: &Facts, connection: &Connection) -> Option<String> {
    if facts.tied.unwrap_or(facts.workspace) != connection.workspace {
        // What was sent from elsewhere and is tied to nothing is only looked at, as its own workspace would have it.
        let asks = facts.origin == Origin::Local || facts.tied.is_some();
        return asks.then(|| format!("The workspace at {}", connection.client.base_url()));
    }
    let first = facts.key_use.as_ref().and_then(|used| used.first_print.as_deref());
    let untold = first.is_none() && facts.origin == Origin::Local && facts.key_use.is_some();
    let other_key = untold || first.is_some_and(|first| first != connection.key_print);
    other_key.then(|| "The API key in use now".to_owned())
}

/// How far a person's word goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Consent {
    /// Nothing was confirmed: only what is safe.
    Safe,
    /// This effect was named.
    Effect(Effect),
    /// This forecast was seen and confirmed.
    Forecast(Forecast),
}

impl Consent {
    /// Holds if the word covers what is foretold. Which of two times is meant is no matter of effects, so that no word of
    /// this kind picks one (design 4.6).
    ///
    /// # Errors
    /// `Refused` with the reasons; nothing was sent.
    pub fn covers(&self, told: &Forecast) -> Result<()> {
        if let Some(open) = told.open_time() {
            return Err(Error::refused(format!(
                "{} Nothing was sent. Confirming an effect does not say it: write the time with its offset, such as \
                 2031-11-05T09:00:00+01:00.",
                open.text
            )));
        }
        let effect = told.effect.word();
        match self {
            Self::Safe if told.risk == Risk::Safe => Ok(()),
            Self::Safe => Err(Error::refused(format!(
                "{} Nothing was sent. If it is meant all the same, confirm `{effect}`.",
                told.says()
            ))),
            Self::Effect(named) if *named == told.effect => Ok(()),
            Self::Effect(named) => Err(Error::refused(format!(
                "`{}` was confirmed, but what is foretold is `{effect}`: {} Nothing was sent.",
                named.word(),
                told.says()
            ))),
            Self::Forecast(seen) if seen.same_as(told) => Ok(()),
            Self::Forecast(_) => Err(Error::refused(format!(
                "What is foretold has changed since it was confirmed: {} Nothing was sent. Look at it again.",
                told.says()
            ))),
        }
    }
}

/// A forecast that was shown, with its plan.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The plan.
    pub plan: Plan,
    /// What was shown.
    pub forecast: Forecast,
    /// The accounts it was about.
    pub accounts: Vec<AccountId>,
    /// Other words than the job's own that it was about.
    pub content: Option<String>,
}

/// Forecasts that were shown and wait for their click. Each can be used once, so that a double click sends once.
#[derive(Debug, Default)]
pub struct ShownForecasts(Mutex<HashMap<String, (u64, Shown)>>);

impl ShownForecasts {
    /// Keeps one under an id of its own.
    #[must_use]
    pub fn keep(&self, clock: &Clock, shown: Shown) -> String {
        let id = clock.new_id();
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = waiting.values().map(|(turn, _)| turn + 1).max().unwrap_or_default();
        if waiting.len() >= WAITING
            && let Some(oldest) = waiting.iter().min_by_key(|(_, (turn, _))| *turn).map(|(id, _)| id.clone())
        {
            waiting.remove(&oldest);
        }
        waiting.insert(id.clone(), (turn, shown));
        id
    }

    /// Uses one up.
    ///
    /// # Errors
    /// `Refused` if it was used, has lapsed, or was about another act or job.
    pub fn take(&self, id: &str, act: Act, job: Option<&JobMark>) -> Result<Shown> {
        let taken = self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(id);
        match taken {
            Some((_, shown)) if shown.plan.act == act && shown.plan.job.as_ref().map(|(_, mark)| mark) == job => {
                Ok(shown)
            }
            _ => Err(Error::refused(
                "This forecast was used already or has lapsed, so nothing was sent. Look at it again.",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbound::forecast::{Because, Reason};

    fn shown(act: Act) -> Shown {
        let plan = Plan {
            act,
            job: Some((JobId(1), JobMark::new("job_1"))),
            path: "/v1/posts".to_owned(),
            key: None,
            body: br#"{"content":"Hay","n":1,"platforms":[{"accountId":"a"},{"accountId":"b"}]}"#.to_vec(),
            hash: contents::body_hash(b""),
            accounts: None,
            workspace: WorkspaceId(1),
            elsewhere: None,
        };
        let forecast = Forecast {
            action: act,
            effect: Effect::CreatesSecond,
            expects: vec![201],
            risk: Risk::Blocked,
            because: vec![forecast::Because { code: Reason::CheckOver, text: "It is live.".to_owned() }],
            suggest: None,
        };
        Shown { plan, forecast, accounts: Vec::new(), content: None }
    }

    #[test]
    fn a_forecast_is_good_for_one_click_on_what_it_was_about() {
        let (clock, waiting) = (Clock::standing(Moment(0)), ShownForecasts::default());
        let job = JobMark::new("job_1");
        let id = waiting.keep(&clock, shown(Act::AskAgain));
        assert!(waiting.take(&id, Act::AskAgain, Some(&job)).is_ok());
        assert!(waiting.take(&id, Act::AskAgain, Some(&job)).is_err(), "a double click sends once");
        let id = waiting.keep(&clock, shown(Act::AskAgain));
        assert!(waiting.take(&id, Act::PostAgain, Some(&job)).is_err(), "another verb");
        let id = waiting.keep(&clock, shown(Act::AskAgain));
        assert!(waiting.take(&id, Act::AskAgain, Some(&JobMark::new("job_2"))).is_err(), "another job");
        let first = waiting.keep(&clock, shown(Act::AskAgain));
        for _ in 0..WAITING {
            drop(waiting.keep(&clock, shown(Act::AskAgain)));
        }
        assert!(waiting.take(&first, Act::AskAgain, Some(&job)).is_err(), "the oldest lapses");
    }

    #[test]
    fn other_words_replace_the_content_and_nothing_else() {
        let plan = shown(Act::PostAgain).plan;
        let same = plan.clone().saying(Some("Hay")).unwrap();
        assert_eq!((&same.body, &same.hash), (&plan.body, &plan.hash), "the same words keep the very bytes");
        let other = plan.clone().saying(Some("Straw")).unwrap();
        let body: Value = serde_json::from_slice(&other.body).unwrap();
        assert_eq!((&body["content"], &body["n"]), (&Value::from("Straw"), &Value::from(1)));
        assert_eq!(other.hash, contents::body_hash(&other.body));
        let wordless = Plan { body: br#"{"platforms":[]}"#.to_vec(), ..plan };
        assert!(wordless.saying(Some("Straw")).is_err());
    }

    #[test]
    fn a_word_covers_what_it_names_and_nothing_else() {
        let told = shown(Act::AskAgain).forecast;
        assert!(Consent::Safe.covers(&told).is_err());
        assert!(Consent::Effect(Effect::CreatesAgain).covers(&told).is_err());
        assert!(Consent::Effect(Effect::CreatesSecond).covers(&told).is_ok());
        assert!(Consent::Forecast(told.clone()).covers(&told).is_ok());
        let other = Forecast { expects: vec![201, 409], ..told.clone() };
        assert!(Consent::Forecast(told).covers(&other).is_err(), "it was foretold otherwise");
    }

    #[test]
    fn no_word_picks_one_of_two_times() {
        let told = shown(Act::Submit).forecast;
        for code in [Reason::TimeTwice, Reason::TimeMissing] {
            let mut asked = told.clone();
            asked.because.push(Because { code, text: "Say which is meant.".into() });
            for word in [Consent::Effect(asked.effect), Consent::Forecast(asked.clone()), Consent::Safe] {
                let no = word.covers(&asked).unwrap_err();
                assert!(no.message.starts_with("Say which is meant. Nothing was sent."), "{}", no.message);
            }
        }
    }

    #[test]
    fn a_part_of_a_post_is_its_body_with_those_accounts_alone() {
        let plan = shown(Act::PostAgain).plan;
        let (a, b) = (AccountId::new("a"), AccountId::new("b"));
        assert_eq!(plan.body_for(&[a, b.clone()]).unwrap(), plan.body, "the very bytes");
        let part: Value = serde_json::from_slice(&plan.body_for(&[b]).unwrap()).unwrap();
        assert_eq!(part["platforms"], serde_json::json!([{"accountId": "b"}]));
        assert_eq!((&part["content"], &part["n"]), (&Value::from("Hay"), &Value::from(1)));
        assert!(plan.body_for(&[AccountId::new("c")]).is_err());
    }
}
