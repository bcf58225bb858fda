//! What must hold of any verdict, on random evidence: it stands on its minimum (design 5), and taking a proof row away
//! never makes it surer.

use proptest::{collection::vec, prelude::*, sample::select, test_runner::Config};

use super::{
    evidence::{Asked, Came, Evidence, Fetch, Happening, Noted, Scope, Status, Try},
    makers::rank,
    says::{Code, Proof},
    verdict::{Answer, judge},
    words::Content,
};
use crate::{
    clock::Moment,
    ids::{AccountId, EventId, JobMark, PostId},
    inbound::cause::Confidence,
    outbound::{forecast::words::Place, job::EndKind},
    pozy::{
        answers::Meaning,
        contract::Contract,
        secrecy::{Mask, Source},
    },
};

/// Cases of the property.
const CASES: u32 = 4_000;
/// Moments that matter: at once, seconds, inside the key's life, on its edge, past it, seconds.
const TIMES: [i64; 8] = [0, 1, 31, 600, 3_000, 86_400, 86_700, 90_000];

fn at() -> impl Strategy<Value = Moment> {
    select(TIMES.to_vec()).prop_map(|second| Moment::from_millis(1_772_445_600_000).plus_seconds(second))
}

fn post() -> impl Strategy<Value = PostId> {
    select(vec!["po_1", "po_2", "po_3"]).prop_map(PostId::new)
}

fn content() -> impl Strategy<Value = Option<Content>> {
    let texts = vec!["The mill opens at nine today", "The mill opens at nine today.", "Bread is out"];
    let accounts = vec![vec!["ac_1"], vec!["ac_1", "ac_2"], vec!["ac_2"]];
    let one = (select(texts), select(accounts)).prop_map(|(text, accounts)| Content {
        text: text.to_owned(),
        media: Vec::new(),
        places: accounts
            .into_iter()
            .map(|account| Place { account: AccountId::new(account), platform: String::new(), text: text.to_owned() })
            .collect(),
    });
    prop_oneof![8 => one.prop_map(Some), 1 => Just(None)]
}

fn attempt() -> impl Strategy<Value = Try> {
    let came = prop_oneof![
        4 => post().prop_map(|post| (Some(EndKind::Answered), Some(201), Some(Meaning::Created), Some(post))),
        2 => post().prop_map(|post| (Some(EndKind::Answered), Some(200), Some(Meaning::Replayed), Some(post))),
        2 => post().prop_map(|post| (Some(EndKind::Answered), Some(409), Some(Meaning::SameContent), Some(post))),
        3 => Just((Some(EndKind::Timeout), None, None, None)),
        1 => Just((None, None, None, None)),
        1 => Just((Some(EndKind::Answered), Some(400), Some(Meaning::Rejected), None)),
    ];
    let who = (select(vec!["loaf", "bun"]), 1_u32..4, select(vec!["mill", "shop"]));
    let key = select(vec![None, Some("k1"), Some("k1"), Some("k2")]);
    (who, at(), key, content(), came, select(vec![None, Some(true)])).prop_map(
        |((job, n, workspace), at, key, content, (end, status, meaning, post), differs)| Try {
            job: JobMark::new(job),
            n,
            at,
            path: "/v1/posts".to_owned(),
            workspace: workspace.to_owned(),
            local: n == 1,
            key: key.map(str::to_owned),
            content,
            end,
            ended: end.map(|_| at.plus_seconds(1)),
            status,
            differs: differs.filter(|_| meaning == Some(Meaning::Replayed)),
            meaning,
            post,
        },
    )
}

fn says() -> impl Strategy<Value = Vec<Status>> {
    let status = (select(vec![None, Some("ac_1"), Some("ac_2")]), select(vec!["published", "failed", "scheduled"]));
    vec(status.prop_map(|(account, word)| Status { account: account.map(AccountId::new), word: word.to_owned() }), 0..2)
}

fn event() -> impl Strategy<Value = (Happening, Vec<Came>)> {
    let scopes = vec![("post.published", Scope::RollUp), ("post.platform.published", Scope::Target)];
    (0..4_u8, post(), at(), select(scopes), says(), vec(at(), 0..3)).prop_map(
        |(id, post, at, (name, scope), says, came)| {
            let event = EventId::new(format!("ev_{id}"));
            let arrivals = came.into_iter().zip(1..);
            let arrivals = arrivals.map(|(at, copy)| Came { event: event.clone(), at, copy, cause: None }).collect();
            (Happening { event, name: name.to_owned(), scope, post, at, says, text: None, platform: None }, arrivals)
        },
    )
}

fn note() -> impl Strategy<Value = Noted> {
    let about = (select(vec![None, Some("loaf"), Some("bun")]), select(vec![None, Some("po_1"), Some("po_2")]));
    (at(), about, select(vec!["post_again", "seen_twice", "comment"])).prop_map(|(at, (job, post), action)| Noted {
        at,
        job: job.map(JobMark::new),
        post: post.map(PostId::new),
        action: action.to_owned(),
        text: "wanted".to_owned(),
        there: None,
        source: Source::This,
    })
}

fn evidence() -> impl Strategy<Value = Evidence> {
    let asked = (0..4_usize, any::<bool>());
    let rows = (vec(attempt(), 0..6), vec(event(), 0..4), vec((at(), post(), says()), 0..2), vec(note(), 0..2));
    (asked, rows).prop_map(|((count, by_order), (mut attempts, events, fetches, mut notes))| {
        let names = ["po_1", "po_2", "po_3"].map(PostId::new);
        attempts.sort_by(|one, other| (one.at, &one.job, one.n).cmp(&(other.at, &other.job, other.n)));
        attempts.dedup_by(|one, other| (&one.job, one.n) == (&other.job, other.n));
        notes.sort_by_key(|note| note.at);
        let (mut events, arrivals): (Vec<_>, Vec<_>) = events.into_iter().unzip();
        events.sort_by_key(|event| event.at);
        let mut arrivals: Vec<Came> = arrivals.into_iter().flatten().collect();
        arrivals.sort_by_key(|came| came.at);
        Evidence {
            mask: Mask::default(),
            asked: Asked { by_order, urls: Vec::new() },
            posts: names[..count].to_vec(),
            kin: if count == 1 { names[1..].to_vec() } else { Vec::new() },
            attempts,
            events,
            arrivals,
            observations: fetches.into_iter().map(|(at, post, says)| Fetch { at, post, says }).collect(),
            notes,
        }
    })
}

/// The same evidence without that row.
fn without(evidence: &Evidence, row: &Proof) -> Evidence {
    let other = |proof: Proof| {
        (proof.kind, proof.name, proof.at, proof.text) != (row.kind, row.name.clone(), row.at, row.text.clone())
    };
    let mut left = evidence.clone();
    left.attempts.retain(|attempt| other(Proof::from(attempt)));
    left.events.retain(|event| other(Proof::from(event)));
    left.arrivals.retain(|came| other(Proof::from(came)));
    left.observations.retain(|seen| other(Proof::from(seen)));
    left.notes.retain(|note| other(Proof::from(note)));
    left
}

/// The column "needs at least" of design 5, read off the evidence anew and not by the rules under test.
fn has_minimum(code: Code, e: &Evidence) -> bool {
    let posts = || {
        let told = e.attempts.iter().filter_map(|attempt| attempt.post.clone());
        told.chain(e.events.iter().map(|event| event.post.clone())).chain(e.posts.clone())
    };
    let two_posts = posts().any(|one| posts().any(|other| one != other));
    let any_two = |holds: &dyn Fn(&Try, &Try) -> bool| {
        e.attempts.iter().any(|one| e.attempts.iter().any(|other| one != other && holds(one, other)))
    };
    let same_words = |one: &Try, other: &Try| match (&one.content, &other.content) {
        (Some(one), Some(other)) => one.places.iter().any(|place| other.places.contains(place)),
        _ => false,
    };
    let refused = |attempt: &Try| attempt.meaning == Some(Meaning::SameContent);
    let live = |says: &[Status]| says.iter().any(|status| status.word == "published");
    let failed = |says: &[Status]| says.iter().any(|status| status.word == "failed");
    let states = || e.events.iter().map(|event| &event.says).chain(e.observations.iter().map(|seen| &seen.says));
    let day = 86_400_000;
    match code {
        Code::AllowedRepeat => e.notes.iter().any(|note| note.action == "post_again"),
        Code::KeyPerTry => {
            two_posts
                && any_two(&|one, other| {
                    one.job == other.job && one.key.is_some() && other.key.is_some() && one.key != other.key
                })
        }
        Code::WorkspaceChanged => any_two(&|one, other| {
            one.workspace != other.workspace && (same_words(one, other) || (one.key.is_some() && one.key == other.key))
        }),
        Code::KeyExpired => two_posts && any_two(&|one, other| one.same_key(other) && other.at.ms_since(one.at) > day),
        Code::EditedAfterRefusal => {
            e.attempts.iter().any(refused) && any_two(&|one, other| refused(one) && other.at >= one.at)
        }
        Code::FalseFailureReposted => {
            (e.attempts.iter().any(Try::may_have_made) || states().any(|says| failed(says)))
                && (states().any(|says| live(says)) || e.attempts.iter().any(refused))
                && two_posts
        }
        Code::TwoJobsSameContent => {
            any_two(&|one, other| one.job != other.job && one.key != other.key && same_words(one, other))
        }
        Code::PublisherSide => e.notes.iter().any(|note| note.action == "seen_twice"),
        Code::CopiesOfOneEvent => {
            e.events.iter().any(|event| e.arrivals.iter().filter(|came| came.event == event.event).count() > 1)
        }
        Code::RollupAndTarget => e.events.iter().any(|one| e.events.iter().any(|other| one.name != other.name)),
        Code::KeyReused => {
            e.attempts.iter().any(|attempt| attempt.meaning == Some(Meaning::Replayed) && attempt.key.is_some())
        }
        Code::NotSentFromHere => {
            e.posts.iter().any(|post| e.attempts.iter().all(|attempt| attempt.post.as_ref() != Some(post)))
        }
        Code::NotEnoughEvidence => true,
    }
}

fn standing(answer: &Answer) -> Vec<(Code, Confidence)> {
    let also = answer.also.iter().map(|other| (other.verdict, other.confidence));
    std::iter::once((answer.verdict, answer.confidence)).chain(also).collect()
}

const fn absence(code: Code) -> bool {
    matches!(code, Code::NotSentFromHere | Code::NotEnoughEvidence)
}

proptest! {
    #![proptest_config(Config {
        cases: CASES,
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn taking_a_row_away_never_makes_it_surer(evidence in evidence()) {
        let contract = Contract::shipped("pozy").unwrap();
        let before = judge(&evidence, &contract);
        for (code, _) in standing(&before) {
            prop_assert!(has_minimum(code, &evidence), "{code:?} lacks its minimum: {before:?}");
        }
        prop_assert!(before.proof.windows(2).all(|pair| pair[0].at <= pair[1].at));
        for row in &before.proof {
            let left = without(&evidence, row);
            let after = judge(&left, &contract);
            for (code, confidence) in standing(&after) {
                prop_assert!(has_minimum(code, &left), "{code:?} outlives its minimum without {row:?}");
                match standing(&before).iter().find(|(known, _)| *known == code) {
                    Some((_, known)) => prop_assert!(
                        rank(confidence) <= rank(*known),
                        "{code:?} is {confidence:?} without {row:?} and {known:?} with it"
                    ),
                    None => prop_assert!(absence(code), "{code:?} fits only without {row:?}"),
                }
            }
            prop_assert!(!absence(after.verdict) || after.confidence == Confidence::Low);
        }
    }

    #[test]
    fn the_order_of_rows_says_nothing(evidence in evidence(), turn in 0..6_usize) {
        let contract = Contract::shipped("pozy").unwrap();
        let mut turned = evidence.clone();
        let by = turn % turned.posts.len().max(1);
        turned.posts.rotate_left(by);
        let (one, other) = (judge(&evidence, &contract), judge(&turned, &contract));
        prop_assert_eq!((one.verdict, one.confidence, one.posts), (other.verdict, other.confidence, other.posts));
    }
}
