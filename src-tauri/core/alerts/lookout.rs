//! The rules for when somebody is called. Pure: it takes what the log held at each look and remembers what it said.

use std::collections::{HashSet, VecDeque};

use super::{Alert, Kind, Place};
use crate::{
    clock::Moment,
    ids::{EventId, JobMark, PostId},
};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;

/// So many arrivals with a wrong signature within [`SIGNATURES_WITHIN`] are more than a stranger's knock.
const SIGNATURES: usize = 3;
const SIGNATURES_WITHIN: i64 = 10 * MINUTE;
/// So many copies within [`STORM_WITHIN`] mean that something here or on the way does not keep up (R2).
const STORM: usize = 20;
const STORM_WITHIN: i64 = 5 * MINUTE;
/// A state that lasts is told once in this time.
const AGAIN_AFTER: i64 = 60 * MINUTE;
/// At most so many alerts are loud within [`LOUD_WITHIN`]; the rest are listed.
const LOUD: usize = 4;
const LOUD_WITHIN: i64 = 10 * MINUTE;
/// Characters of a post's words in a title.
const TITLE_WORDS: usize = 40;

/// A job that waits for a person with an unknown outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The job.
    pub job: JobMark,
    /// First words of its post.
    pub words: Option<String>,
}

/// Two posts that carry the same words on one account, both live or on their way, without anybody having asked for both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// The job whose try made the later post; none if it was made elsewhere.
    pub job: Option<JobMark>,
    /// The later post.
    pub post: PostId,
    /// The other one.
    pub other: PostId,
    /// First words of both.
    pub words: Option<String>,
}

/// A live arrival that is either set aside for its signature or a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Arrived {
    /// Its signature was wrong or missing.
    Aside {
        /// When it came.
        at: Moment,
    },
    /// It repeats an event.
    Copy {
        /// When it came.
        at: Moment,
        /// The event.
        event: EventId,
    },
}

/// What the log holds at one look.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    /// Every local job that waits for a person with an unknown outcome.
    pub unknown: Vec<Unknown>,
    /// Twins among the posts made lately.
    pub twins: Vec<Twin>,
    /// Arrivals since the look before.
    pub arrived: Vec<Arrived>,
}

/// Remembers what was told. What stood there at the first look is on the screen already and is not told.
#[derive(Debug, Default)]
pub struct Lookout {
    began: bool,
    jobs: HashSet<JobMark>,
    twins: HashSet<(PostId, PostId)>,
    aside: VecDeque<Moment>,
    copies: VecDeque<(Moment, EventId)>,
    told: Vec<(Kind, Moment)>,
    loud: VecDeque<Moment>,
}

impl Lookout {
    /// What is to be told now, by `now`. `practice` makes everything quiet: nothing there is real.
    pub fn look(&mut self, seen: Seen, now: Moment, practice: bool) -> Vec<Alert> {
        let mut alerts = self.posts(seen.unknown, seen.twins, now);
        if !std::mem::replace(&mut self.began, true) {
            alerts.clear();
        }
        alerts.extend(self.arrivals(seen.arrived, now));
        for alert in &mut alerts {
            alert.loud = !practice && self.may_be_loud(now);
        }
        alerts
    }

    fn posts(&mut self, unknown: Vec<Unknown>, twins: Vec<Twin>, now: Moment) -> Vec<Alert> {
        let mut alerts = Vec::new();
        for twin in twins {
            let mut pair = (twin.post.clone(), twin.other);
            if pair.1 < pair.0 {
                std::mem::swap(&mut pair.0, &mut pair.1);
            }
            if self.twins.insert(pair) {
                alerts.push(Alert {
                    kind: Kind::SecondPost,
                    at: now,
                    title: titled("Posted twice", twin.words.as_deref()),
                    says: "Two posts carry the same words on one account, and neither failed. See which one stays."
                        .to_owned(),
                    place: twin.job.map_or(Place::Post(twin.post), Place::Job),
                    loud: true,
                });
            }
        }
        // A job that was settled and became unknown again is told again.
        self.jobs.retain(|job| unknown.iter().any(|waits| waits.job == *job));
        for waits in unknown {
            if self.jobs.insert(waits.job.clone()) {
                alerts.push(Alert {
                    kind: Kind::UnknownJob,
                    at: now,
                    title: titled("Unknown", waits.words.as_deref()),
                    says: "We sent it and no answer came back. It may be live, it may not. It waits for you."
                        .to_owned(),
                    place: Place::Job(waits.job),
                    loud: true,
                });
            }
        }
        alerts
    }

    fn arrivals(&mut self, arrived: Vec<Arrived>, now: Moment) -> Vec<Alert> {
        for one in arrived {
            match one {
                Arrived::Aside { at } => self.aside.push_back(at),
                Arrived::Copy { at, event } => self.copies.push_back((at, event)),
            }
        }
        self.aside.retain(|at| now.0 - at.0 <= SIGNATURES_WITHIN);
        self.copies.retain(|(at, _)| now.0 - at.0 <= STORM_WITHIN);
        let mut alerts = Vec::new();
        if self.aside.len() >= SIGNATURES && self.may_tell(Kind::Signatures, now) {
            alerts.push(Alert {
                kind: Kind::Signatures,
                at: now,
                title: "Signatures wrong".to_owned(),
                says: format!(
                    "{} messages within 10 min were kept aside and changed nothing. Compare the secret with Pozy's.",
                    self.aside.len()
                ),
                place: Place::SetAside,
                loud: true,
            });
        }
        if self.copies.len() >= STORM && self.may_tell(Kind::CopyStorm, now) {
            alerts.push(Alert {
                kind: Kind::CopyStorm,
                at: now,
                title: "The same messages keep coming".to_owned(),
                says: format!(
                    "{} came again within 5 min. They change nothing; slow answers from here may be why.",
                    self.copies.len()
                ),
                place: self.most_copied(),
                loud: true,
            });
        }
        alerts
    }

    /// The event that came again most often; among equals the latest.
    fn most_copied(&self) -> Place {
        let count = |event: &EventId| self.copies.iter().filter(|(_, other)| other == event).count();
        let most = self.copies.iter().max_by_key(|(_, event)| count(event));
        most.map_or(Place::SetAside, |(_, event)| Place::Event(event.clone()))
    }

    fn may_tell(&mut self, kind: Kind, now: Moment) -> bool {
        self.told.retain(|(_, at)| now.0 - at.0 < AGAIN_AFTER);
        if self.told.iter().any(|(told, _)| *told == kind) {
            return false;
        }
        self.told.push((kind, now));
        true
    }

    fn may_be_loud(&mut self, now: Moment) -> bool {
        self.loud.retain(|at| now.0 - at.0 < LOUD_WITHIN);
        if self.loud.len() >= LOUD {
            return false;
        }
        self.loud.push_back(now);
        true
    }
}

fn titled(headline: &str, words: Option<&str>) -> String {
    let words =
        words.map(|words| words.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|words| !words.is_empty());
    let Some(words) = words else { return headline.to_owned() };
    let short: String = words.chars().take(TITLE_WORDS).collect();
    let more = if short.len() < words.len() { "…" } else { "" };
    format!("{headline}: {short}{more}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Moment {
        Moment(minutes * MINUTE)
    }

    fn waits(job: &str) -> Unknown {
        Unknown {
            job: JobMark::new(job),
            words: Some("Market day is on  Saturday, and the lanterns are back again".into()),
        }
    }

    fn jobs(names: &[&str]) -> Seen {
        Seen { unknown: names.iter().map(|name| waits(name)).collect(), ..Seen::default() }
    }

    fn aside(minutes: &[i64]) -> Seen {
        Seen { arrived: minutes.iter().map(|minute| Arrived::Aside { at: at(*minute) }).collect(), ..Seen::default() }
    }

    fn copies(count: usize, minute: i64) -> Seen {
        let copy = |n: usize| Arrived::Copy { at: at(minute), event: EventId::new(format!("ev_{}", n % 3)) };
        Seen { arrived: (0..count).map(copy).collect(), ..Seen::default() }
    }

    /// A lookout that has had its first look at an empty log.
    fn lookout() -> Lookout {
        let mut lookout = Lookout::default();
        assert!(lookout.look(Seen::default(), at(0), false).is_empty());
        lookout
    }

    #[test]
    fn an_unknown_post_is_told_once_with_its_first_words_in_the_title_alone() {
        let mut lookout = lookout();
        let told = lookout.look(jobs(&["job_1"]), at(1), false);
        assert_eq!(told.len(), 1);
        assert_eq!(told[0].title, "Unknown: Market day is on Saturday, and the lante…");
        assert!(!told[0].says.contains("Market"), "{}", told[0].says);
        assert_eq!(told[0].place, Place::Job(JobMark::new("job_1")));
        assert!(told[0].loud);
        assert!(lookout.look(jobs(&["job_1"]), at(90), false).is_empty(), "not again while it waits");
        assert!(lookout.look(jobs(&[]), at(91), false).is_empty());
        assert_eq!(lookout.look(jobs(&["job_1"]), at(92), false).len(), 1, "unknown anew");
    }

    #[test]
    fn what_stood_there_at_the_first_look_is_not_told() {
        let mut lookout = Lookout::default();
        assert!(lookout.look(jobs(&["old"]), at(0), false).is_empty());
        let told = lookout.look(jobs(&["old", "new"]), at(1), false);
        assert_eq!(told.iter().map(|alert| alert.place.clone()).collect::<Vec<_>>(), [Place::Job(JobMark::new("new"))]);
    }

    #[test]
    fn a_pair_of_posts_is_told_once_whichever_way_round_it_is_seen() {
        let twin = |post: &str, other: &str| Seen {
            twins: vec![Twin {
                job: (post == "po_2").then(|| JobMark::new("job_2")),
                post: PostId::new(post),
                other: PostId::new(other),
                words: None,
            }],
            ..Seen::default()
        };
        let mut lookout = lookout();
        let told = lookout.look(twin("po_2", "po_1"), at(1), false);
        assert_eq!((told[0].kind, told[0].title.as_str()), (Kind::SecondPost, "Posted twice"));
        assert_eq!(told[0].place, Place::Job(JobMark::new("job_2")));
        assert!(lookout.look(twin("po_1", "po_2"), at(2), false).is_empty());
        let elsewhere = lookout.look(twin("po_3", "po_1"), at(3), false);
        assert_eq!(elsewhere.len(), 1);
        assert_eq!(elsewhere[0].place, Place::Post(PostId::new("po_3")), "no job of here made it");
    }

    #[test]
    fn wrong_signatures_are_told_when_they_repeat_and_then_once_an_hour() {
        let mut lookout = lookout();
        assert!(lookout.look(aside(&[1]), at(1), false).is_empty(), "one may be anybody");
        assert!(lookout.look(aside(&[12]), at(12), false).is_empty(), "and one after a while too");
        let told = lookout.look(aside(&[13, 14]), at(14), false);
        assert_eq!((told[0].kind, told[0].place.clone()), (Kind::Signatures, Place::SetAside));
        assert!(told[0].says.starts_with("3 messages"), "{}", told[0].says);
        assert!(lookout.look(aside(&[15, 16, 17, 18]), at(18), false).is_empty());
        assert_eq!(lookout.look(aside(&[80, 80, 80]), at(80), false).len(), 1);
    }

    #[test]
    fn a_storm_of_copies_leads_to_what_came_most_often() {
        let mut lookout = lookout();
        assert!(lookout.look(copies(STORM - 1, 1), at(1), false).is_empty());
        assert!(lookout.look(copies(STORM - 1, 8), at(8), false).is_empty(), "spread out it is no storm");
        let told = lookout.look(copies(2, 9), at(9), false);
        assert_eq!((told[0].kind, told[0].place.clone()), (Kind::CopyStorm, Place::Event(EventId::new("ev_0"))));
    }

    #[test]
    fn too_many_at_once_are_listed_and_not_loud() {
        let mut lookout = lookout();
        let names: Vec<String> = (0..7).map(|n| format!("job_{n}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let told = lookout.look(jobs(&names), at(1), false);
        assert_eq!(told.iter().filter(|alert| alert.loud).count(), LOUD);
        assert_eq!(told.len(), 7);
        let later = lookout.look(jobs(&[&names[..], &["job_later"]].concat()), at(12), false);
        assert!(later[0].loud, "after a while it may be loud again");
    }

    #[test]
    fn practice_is_quiet() {
        let mut lookout = lookout();
        let told = lookout.look(jobs(&["job_1"]), at(1), true);
        assert_eq!((told.len(), told[0].loud), (1, false));
    }
}
