//! What goes on beside the posts of a life: messages, whose keys follow other rules (R8), jobs that a person stops, and
//! looks at an account on which a live post is not seen. Chance of its own, so that a seed gives the same posts.

use pozy_sandbox::Ask;
use reprise_core::{
    error::Code,
    ids::JobMark,
    outbound::{
        forecast::{Act, Effect, Forecast, Risk},
        foretell::{Consent, Plan},
        resend::{self, Part},
        submit::{Draft, submit},
    },
    store::notes::{self, Note},
};

use super::{
    Tally,
    life::{Kept, Life},
};

const MESSAGES: &str = "/v1/sms/messages";

/// One message with the jobs that were posted again from it.
pub(super) type Family = Vec<JobMark>;

/// What would come of sending a message.
#[derive(Debug)]
struct Seen {
    status: u16,
    made: bool,
    /// Another one of its family went out, and this log was told so.
    second: bool,
}

/// Why what was foretold is wrong, if it is.
fn mistake(told: &Forecast, seen: &Seen) -> Option<&'static str> {
    if seen.second && (told.risk != Risk::Blocked || !matches!(told.effect, Effect::CreatesSecond | Effect::CannotTell))
    {
        return Some("a second message where it was not said");
    }
    if told.effect == Effect::CannotTell && !told.because.iter().any(|because| because.code.leaves_open()) {
        return Some("cannot tell, without a reason that leaves it open");
    }
    let right = match told.effect {
        Effect::CannotTell => true,
        Effect::ReturnsExisting => !seen.made && seen.status < 300,
        Effect::CreatesFirst | Effect::CreatesSecond => seen.made,
        Effect::RefusedKeyReuse => seen.status == 422,
        Effect::CreatesAgain | Effect::RefusedSameContent | Effect::InProgress => false,
    };
    (!right || !told.expects.contains(&seen.status)).then_some("otherwise than foretold")
}

impl Life {
    /// Now and then something happens aside.
    pub(super) async fn aside(&mut self, tally: &mut Tally) {
        match self.side.below(6) {
            0 | 1 => self.message(tally).await,
            2 => self.stop_one().await,
            3 => self.do_not_see_one().await,
            _ => {}
        }
        for _ in 0..usize::from(!self.messages.is_empty()) * 2 {
            let family = self.side.of(&self.messages).clone();
            let mark = self.side.of(&family).clone();
            let act = if self.side.once_in(3) { Act::PostAgain } else { Act::AskAgain };
            let plan = Plan::on(&self.store, act, &mark, Some(&self.doors[0].connection), None).await.unwrap();
            let told = self.foretell(&plan, 0).forecast;
            self.hold(&told, &self.glimpse_message(&plan, &family));
            tally.count_message(&told);
        }
    }

    /// What the sandbox would answer to a message at this moment.
    fn glimpse_message(&self, plan: &Plan, family: &[JobMark]) -> Seen {
        let key = plan.key.as_deref().filter(|_| plan.act == Act::AskAgain);
        let ask = Ask { api_key: &self.doors[0].api_key, key, request_id: None, body: &plan.body };
        let seen = self.sandbox.glimpse_message(&ask);
        let made = seen.status == 201 && seen.body.is_null();
        Seen { status: seen.status, made, second: made && self.went_out(family) }
    }

    /// True if this log was told that a message of the family went out.
    fn went_out(&self, family: &[JobMark]) -> bool {
        let sql = "SELECT EXISTS (SELECT 1 FROM jobs AS j JOIN attempts AS a ON a.job = j.id
            JOIN readings AS d ON d.attempt = a.id WHERE j.mark = ? AND d.meaning IN ('created', 'replayed'))";
        family.iter().any(|job| self.reader.query_row(sql, [job.as_str()], |row| row.get(0)).unwrap())
    }

    fn hold(&self, told: &Forecast, seen: &Seen) {
        if let Some(mistake) = mistake(told, seen) {
            panic!("{}: a message, {mistake}: {seen:?}, {told:?}", self.sandbox.now());
        }
    }

    /// Sends a message, or asks or posts one again.
    async fn message(&mut self, tally: &mut Tally) {
        let at = self.side.below(self.messages.len() as u64 + 1) as usize;
        let act = if self.side.once_in(3) { Act::PostAgain } else { Act::AskAgain };
        let connection = self.doors[0].connection.clone();
        let known = self.messages.get(at).cloned();
        let (plan, job) = match &known {
            Some(family) => {
                let mark = self.side.of(family).clone();
                (Plan::on(&self.store, act, &mark, Some(&connection), None).await.unwrap(), Some(mark))
            }
            None => {
                let body = format!(r#"{{"to":"+440000","text":"Message {at}"}}"#);
                (Plan::new(MESSAGES, None, body.as_bytes(), &connection), None)
            }
        };
        let family = known.unwrap_or_default();
        let told = self.foretell(&plan, 0).forecast;
        let seen = self.glimpse_message(&plan, &family);
        self.hold(&told, &seen);
        if told.risk != Risk::Safe && self.side.once_in(2) {
            return;
        }
        let consent = if told.risk == Risk::Safe { Consent::Safe } else { Consent::Forecast(told.clone()) };
        let faulty = self.strike_message();
        let done = match (&job, plan.act) {
            (Some(mark), Act::AskAgain) => {
                resend::ask_again(&self.store, &self.clock, &connection, mark, consent).await
            }
            (Some(mark), _) => {
                let why = "It is meant";
                resend::post_again(&self.store, &self.clock, &connection, mark, Part::default(), why, consent).await
            }
            (None, _) => {
                let draft = Draft { path: MESSAGES.to_owned(), key: None, body: plan.body.clone(), form: None };
                submit(&self.store, &self.clock, &connection, draft, consent).await
            }
        };
        let view = match done {
            Ok(view) => view,
            Err(no) => {
                assert_eq!(no.code, Code::Refused, "{no}");
                return;
            }
        };
        self.struck = false;
        match (job, plan.act) {
            (None, _) => self.messages.push(vec![view.facts.mark.clone()]),
            (Some(_), Act::PostAgain) => self.messages[at].push(view.facts.mark.clone()),
            _ => {}
        }
        if !faulty {
            let last = view.facts.attempts.last().and_then(|attempt| attempt.end.as_ref());
            assert_eq!(last.and_then(|end| end.status), Some(seen.status), "{told:?}");
            tally.done += 1;
            tally.count_message(&told);
        }
    }

    /// A person stops a job that waits.
    async fn stop_one(&mut self) {
        let own: Vec<Kept> = self.jobs.iter().filter(|job| !job.imported).cloned().collect();
        if own.is_empty() {
            return;
        }
        let job = self.side.of(&own).clone();
        let contract = &self.doors[job.door].connection.contract;
        if let Err(no) = resend::cancel(&self.store, &self.clock, contract, &job.mark).await {
            assert_eq!(no.code, Code::Refused, "{no}");
        }
    }

    /// A person looks for a post and does not see it, whether it is there or not.
    async fn do_not_see_one(&mut self) {
        let known: Vec<(String, String)> = self.heard_of().whole.into_iter().collect();
        if known.is_empty() || !self.side.once_in(4) {
            return;
        }
        let (post, _) = self.side.of(&known).clone();
        let at = self.clock.now();
        let note = Note {
            at,
            job: None,
            post: Some(post),
            action: "not_seen".to_owned(),
            text: "Not on the page".to_owned(),
            there: None,
        };
        self.store.write(move |log| notes::insert(log, &note, None)).await.unwrap();
    }
}
