// What goes over the border between the core and the screens. Made from src-tauri/core/commands/wire/ by
// `REPRISE_WRITE_WIRE=1 cargo test --test it wire`; edit those files, never this one.

/**
 * An instant: milliseconds for reckoning, and the text as exact as it is known (design 3.5).
 */
export type Stamp = {
/**
 * Milliseconds since 1970.
 */
ms: number,
/**
 * RFC 3339, as exact as it was sent.
 */
text: string, };

/**
 * No arguments.
 */
export type Nothing = Record<symbol, never>;

/**
 * What the top bar shows.
 */
export type Status = {
/**
 * The program's version.
 */
version: string,
/**
 * Where the log lies.
 */
data_dir: string,
/**
 * The program's present time.
 */
now: Stamp,
/**
 * IANA name of the computer's zone, such as `Europe/London`.
 */
zone: string,
/**
 * Number of the newest notice; a screen that saw a smaller one pulls anew.
 */
notice: number,
/**
 * Present while practising with the sandbox on a log of its own.
 */
practice: Practice | null,
/**
 * Present while a case is shown instead of the person's own log, which goes on receiving and sending behind it.
 */
case: CaseRow | null,
/**
 * The receiver.
 */
receiver: ReceiverStatus,
/**
 * The workspace in use, if there is one.
 */
workspace: WorkspaceRow | null,
/**
 * How many posts wait for a person.
 */
needs_person: number,
/**
 * Problems that a person should know now, each a sentence with what to do.
 */
problems: Array<string>,
/**
 * Why nothing is sent: the log was restored, copied or moved, and nobody said yet to go on from here. None if it is
 * where it belongs.
 */
held: string | null,
/**
 * How much of the log the rules of this version have judged, percent; none if they judged all of it. What they have
 * not come to is shown as the version before judged it.
 */
judged_anew: number | null, };

/**
 * The two-minute story of practice mode.
 */
export type Practice = {
/**
 * True while the story plays.
 */
playing: boolean,
/**
 * Steps told so far, newest last.
 */
told: Array<StoryLine>,
/**
 * How many lines the story has.
 */
lines: number, };

/**
 * One line of the story, as it happened.
 */
export type StoryLine = {
/**
 * When it happened.
 */
at: Stamp,
/**
 * What happened, in one sentence.
 */
says: string, };

/**
 * Whether arrivals can come in.
 */
export type ReceiverStatus = {
/**
 * True while it listens.
 */
listening: boolean,
/**
 * Full address of the default endpoint, while it listens.
 */
url: string | null,
/**
 * Why it does not listen and what to do.
 */
problem: string | null,
/**
 * True while another program receives and sends for this log, and this one only shows it.
 */
elsewhere: boolean,
/**
 * The newest live arrival.
 */
last_arrival: Stamp | null,
/**
 * True if arrivals are verified; without a secret they are logged as unchecked.
 */
verifies: boolean, };

/**
 * Which part of the events to show.
 */
export type EventsPageArgs = {
/**
 * `next` of the page before; none for the newest.
 */
after?: string,
/**
 * Rows wanted, at most 200.
 */
limit?: number,
/**
 * Only one kind.
 */
only?: EventsOnly,
/**
 * Only rows that fit. One call looks through a bounded part of the log and says how far it came.
 */
filter?: EventsFilter,
/**
 * With a filter: the `newest` of an earlier answer; only what came since is looked at.
 */
since?: string,
/**
 * With a text in the filter: only what the index of words knows, at once and in one answer. Looking through the log
 * finds it, too, and more.
 */
indexed?: boolean, };

/**
 * The filters of the first window.
 */
export type EventsOnly = "copies" | "late" | "ties" | "tests" | "set_aside";

/**
 * What a row must be to be shown; what is left out holds for every row.
 */
export type EventsFilter = {
/**
 * Exact name, such as `post.platform.published`.
 */
name?: string,
/**
 * Platform it speaks of.
 */
platform?: string,
/**
 * Account it speaks of.
 */
account?: string,
/**
 * What it is about, such as `post:po_1`.
 */
about?: string,
/**
 * Cause of any of its copies, a code of design 3.8.
 */
cause?: string,
/**
 * Late by at least this, milliseconds.
 */
late_ms?: number,
/**
 * Last arrived at or after this instant, milliseconds.
 */
from_ms?: number,
/**
 * Last arrived at or before this instant, milliseconds.
 */
to_ms?: number,
/**
 * Stands in its ids, names, words, body or headers, as a search reads it: words, "phrases", `post:`.
 */
text?: string, };

/**
 * A page of events, last arrival first.
 */
export type EventsPage = {
/**
 * The rows.
 */
rows: Array<EventRow>,
/**
 * Give it back as `after` for the next page; none at the end.
 */
next: string | null,
/**
 * With a filter: how far the look has come, and from where to where there is something to look at.
 */
looked: Looked | null, };

/**
 * How far a filtered look has come.
 */
export type Looked = {
/**
 * Last arrival of the last row looked at.
 */
reached: Stamp | null,
/**
 * Last arrival of the oldest row of the log.
 */
oldest: Stamp | null,
/**
 * Last arrival of the newest row of the log.
 */
newest_at: Stamp | null,
/**
 * Place of the newest row of the log; give it back as `since`.
 */
newest: string | null, };

/**
 * What can be chosen in the filter.
 */
export type EventKinds = {
/**
 * Names of messages: all known ones, and those that came lately.
 */
names: Array<string>,
/**
 * Platforms that messages speak of.
 */
platforms: Array<string>,
/**
 * Accounts that messages speak of, each with its platform.
 */
accounts: Array<EventAccount>, };

/**
 * An account that messages speak of.
 */
export type EventAccount = {
/**
 * Its id.
 */
account: string,
/**
 * Its platform, as its latest message names it.
 */
platform: string | null, };

/**
 * One event, or one arrival that makes no event.
 */
export type EventRow = {
/**
 * Stays the same as long as the row exists.
 */
id: string,
/**
 * The event; none for an arrival set aside.
 */
event: string | null,
/**
 * The arrival, for one set aside.
 */
seq: number | null,
/**
 * `event`, `quarantined` or `unreadable`.
 */
kind: string,
/**
 * Event name such as `post.platform.published`.
 */
name: string | null,
/**
 * What its narrowest lane becomes by it, such as `published`.
 */
status: string | null,
/**
 * Platform it speaks of.
 */
platform: string | null,
/**
 * Account it speaks of.
 */
account: string | null,
/**
 * First words of the post.
 */
text: string | null,
/**
 * When it happened at Pozy.
 */
happened: Stamp | null,
/**
 * When it first reached us.
 */
first_arrived: Stamp,
/**
 * When it last reached us.
 */
last_arrived: Stamp,
/**
 * How often it reached us.
 */
arrivals: number,
/**
 * True if it changed a lane.
 */
applied: boolean,
/**
 * True for a test.
 */
test: boolean,
/**
 * What it is about.
 */
resource: string | null,
/**
 * `in_order`, `late`, `tie` or `unplaced`.
 */
order: string,
/**
 * First arrival minus happened, if late, milliseconds.
 */
late_by_ms: number | null,
/**
 * The event that overtook it.
 */
overtaken_by: string | null,
/**
 * Lanes that already held something newer.
 */
stale_lanes: Array<string>,
/**
 * Flags of the contract's list.
 */
flags: Array<string>,
/**
 * Why its latest copy came, if it has copies.
 */
cause: CauseRow | null,
/**
 * Signature of its latest arrival.
 */
signature: string,
/**
 * "Confirmed by Pozy at": when a fetch last agreed with, or overruled, what is held of it since it happened.
 */
confirmed: Stamp | null, };

/**
 * Why a copy came.
 */
export type CauseRow = {
/**
 * Code of design 3.8.
 */
code: string,
/**
 * `high`, `medium` or `low`.
 */
confidence: string,
/**
 * One sentence.
 */
text: string, };

/**
 * Names one event.
 */
export type EventArgs = {
/**
 * The event's id.
 */
event: string, };

/**
 * One arrival.
 */
export type ArrivalRow = {
/**
 * Number in this log.
 */
seq: number,
/**
 * When it reached us.
 */
arrived: Stamp,
/**
 * The event it belongs to, or claims.
 */
event: string | null,
/**
 * 1 for the first arrival of an event, 0 if it makes none.
 */
copy: number,
/**
 * `first`, `duplicate`, `test`, `quarantined` or `unreadable`.
 */
standing: string,
/**
 * Why it came again, for a copy.
 */
cause: CauseRow | null,
/**
 * `valid`, `invalid`, `missing` or `unchecked`.
 */
signature: string,
/**
 * Our answer's time, milliseconds, once known.
 */
took_ms: number | null,
/**
 * Our answer's status.
 */
answer: number | null,
/**
 * `live` or `import`.
 */
channel: string,
/**
 * Flags of the contract's list.
 */
flags: Array<string>, };

/**
 * Names one arrival.
 */
export type ArrivalArgs = {
/**
 * Its number in this log.
 */
seq: number, };

/**
 * One arrival with all it brought; secrets in headers are masked.
 */
export type ArrivalDetail = {
/**
 * The row.
 */
row: ArrivalRow,
/**
 * Headers in the order they came.
 */
headers: Array<[string, string]>,
/**
 * The body, if it is kept and is text.
 */
body: string | null,
/**
 * Size of the body as it came, bytes.
 */
body_len: number,
/**
 * Why there is no body to show, if there is none.
 */
body_missing: string | null, };

/**
 * Names two arrivals.
 */
export type CompareArgs = {
/**
 * Number of the one in this log.
 */
first: number,
/**
 * Number of the other.
 */
second: number, };

/**
 * Two arrivals, their secrets masked alike: where placeholders are equal, so were the secrets.
 */
export type Compared = {
/**
 * The one.
 */
first: ArrivalDetail,
/**
 * The other.
 */
second: ArrivalDetail, };

/**
 * Names one thing; exactly one field is given.
 */
export type ChainArgs = {
/**
 * A message.
 */
event?: string,
/**
 * An arrival, by its number in this log.
 */
seq?: number,
/**
 * A job.
 */
job?: string,
/**
 * A post.
 */
post?: string, };

/**
 * Everything that belongs to one thing, in the order in which it came about.
 */
export type Chain = {
/**
 * Keys of the jobs.
 */
keys: Array<ChainKey>,
/**
 * Jobs that made or asked for the posts, oldest first.
 */
jobs: Array<JobRow>,
/**
 * Their tries, oldest first.
 */
tries: Array<ChainTry>,
/**
 * The posts.
 */
posts: Array<ChainPost>,
/**
 * Messages about the posts, or about the account that was asked for, by first arrival.
 */
messages: Array<EventRow>,
/**
 * Arrivals of the message that was asked for.
 */
arrivals: Array<ArrivalRow>,
/**
 * True if there is more of something than is shown.
 */
more: boolean, };

/**
 * A key.
 */
export type ChainKey = {
/**
 * The key itself.
 */
key: string,
/**
 * The workspace it belongs to (R12).
 */
workspace: string,
/**
 * Its first use.
 */
since: Stamp | null,
/**
 * The end of its life.
 */
expires: Stamp | null,
/**
 * Jobs that carry it.
 */
jobs: Array<string>, };

/**
 * One try of a job.
 */
export type ChainTry = {
/**
 * Its job.
 */
job: string,
/**
 * Counts from 1 in the job.
 */
n: number,
/**
 * When it left.
 */
at: Stamp,
/**
 * The mark of `JobRow.tries`.
 */
mark: string,
/**
 * What came of it, in one sentence.
 */
says: string,
/**
 * Status of the answer.
 */
status: number | null,
/**
 * The post its answer tells of.
 */
post: string | null, };

/**
 * A post.
 */
export type ChainPost = {
/**
 * Its id at Pozy.
 */
post: string,
/**
 * First words.
 */
text: string | null,
/**
 * What the log last knew of it.
 */
status: string | null, };

/**
 * Names one post.
 */
export type PostArgs = {
/**
 * Its id at Pozy.
 */
post: string, };

/**
 * One post, as the log knows it.
 */
export type PostView = {
/**
 * Its id at Pozy.
 */
post: string,
/**
 * First words.
 */
text: string | null,
/**
 * The zone it was planned in, where a job names one.
 */
timezone: string | null,
/**
 * The post as a whole, then each target.
 */
lanes: Array<PostLane>, };

/**
 * What one part of a post holds.
 */
export type PostLane = {
/**
 * Account of a target; none for the post as a whole.
 */
account: string | null,
/**
 * Platform of a target.
 */
platform: string | null,
/**
 * Its state; none while it is tied.
 */
status: string | null,
/**
 * Since when.
 */
since: Stamp,
/**
 * The message it comes from; none if it was fetched.
 */
event: string | null,
/**
 * When a fetch last agreed or overruled.
 */
confirmed: Stamp | null,
/**
 * True while messages of one instant contradict each other.
 */
tie: boolean,
/**
 * True if only a fetch can say what holds.
 */
wants_fetch: boolean, };

/**
 * Names one try.
 */
export type AttemptArgs = {
/**
 * Its job.
 */
job: string,
/**
 * Counts from 1 in the job.
 */
n: number, };

/**
 * One try with all it carried and all that came back; secrets are masked.
 */
export type AttemptDetail = {
/**
 * The row.
 */
row: AttemptRow,
/**
 * HTTP method.
 */
method: string,
/**
 * Path of the call.
 */
path: string,
/**
 * Name of its workspace.
 */
workspace: string,
/**
 * The key it carried.
 */
key: string | null,
/**
 * The `x-request-id` it carried (R14).
 */
request_id: string | null,
/**
 * The body it carried, if it is kept and is text.
 */
body: string | null,
/**
 * Why there is no body to show, if there is none.
 */
body_missing: string | null,
/**
 * Headers of the answer.
 */
headers: Array<[string, string]>, };

/**
 * Names a request: an arrival, a try of a job, or the question what Pozy has of a post.
 */
export type CurlArgs = {
/**
 * An arrival, by its number in this log.
 */
seq?: number,
/**
 * A job.
 */
job?: string,
/**
 * One of its tries; none for the job as it would go out now.
 */
n?: number,
/**
 * A post.
 */
post?: string, };

/**
 * A request as a command for a shell.
 */
export type Curl = {
/**
 * The command; secrets stand as variables.
 */
command: string,
/**
 * Variables that must be set before it runs.
 */
variables: Array<string>,
/**
 * What running it does, and what is not in it.
 */
says: string,
/**
 * True if running it may make a second live post.
 */
risky: boolean, };

/**
 * Which part of time to draw, and how finely.
 */
export type TimelineArgs = {
/**
 * Beginning, milliseconds since 1970.
 */
from_ms: number,
/**
 * End, in the span.
 */
to_ms: number,
/**
 * Milliseconds a pixel, a power of two; crowded lanes are counted in bins of eight of these.
 */
resolution_ms: number,
/**
 * Posts, accounts and the like wanted, those with the newest activity in the span first; at most 400.
 */
groups?: number, };

/**
 * What shows in a span of time.
 */
export type Timeline = {
/**
 * The span that was asked for.
 */
from_ms: number,
/**
 * Its end.
 */
to_ms: number,
/**
 * The resolution that was asked for.
 */
resolution_ms: number,
/**
 * Lanes, those of a group together, the newest group first, tests and set-aside arrivals last.
 */
lanes: Array<TimelineLane>,
/**
 * True if more groups have marks in the span.
 */
more: boolean,
/**
 * How many messages came over the whole span, whether or not their lanes are here; none where all of them are, and
 * where so little time is looked at that single ones can be told apart.
 */
density: TimelineDensity | null, };

/**
 * How many messages came when, in bins of one width.
 */
export type TimelineDensity = {
/**
 * Where the first bin begins.
 */
from_ms: number,
/**
 * Width of a bin, a power of two.
 */
bin_ms: number,
/**
 * Arrivals in each bin.
 */
arrivals: Array<number>,
/**
 * Of them, messages that came again.
 */
again: Array<number>,
/**
 * Of them, messages that were overtaken on their way.
 */
late: Array<number>, };

/**
 * What a lane is about.
 */
export type TimelineLaneKind = "post" | "account" | "other" | "target" | "job" | "tests" | "set_aside";

/**
 * One lane.
 */
export type TimelineLane = {
/**
 * `post:<id>`, `post:<id>/<account>`, `account:<id>`, `other:...`, `job:<name>`, `tests` or `set_aside`.
 */
id: string,
/**
 * The first lane of its group.
 */
group: string,
/**
 * What it is about.
 */
kind: TimelineLaneKind,
/**
 * First words of the post.
 */
text: string | null,
/**
 * Platform of a target or account.
 */
platform: string | null,
/**
 * Account of a target or account lane.
 */
account: string | null,
/**
 * The state it holds now; none while it is tied or nothing is known.
 */
status: string | null,
/**
 * True while events of one instant contradict each other.
 */
tie: boolean,
/**
 * "Confirmed by Pozy at": when a fetch last agreed or overruled.
 */
confirmed_ms: number | null,
/**
 * What messages last said, where a later fetch says otherwise.
 */
drift: Drift | null,
/**
 * True while so many messages of it are judged anew that it takes a moment: what it says may change still.
 */
under_way: boolean,
/**
 * How many messages of its group happened in the span, arrived outside it and are not drawn; of the group's first lane.
 */
left_out: number,
/**
 * A post that is live beside this one with the same words on one account, of a post's own lane.
 */
twice: string | null,
/**
 * True if those words are only nearly the same.
 */
twice_near: boolean,
/**
 * The job of a job lane.
 */
job: JobRow | null,
/**
 * Its marks, by time.
 */
marks: Array<TimelineMark>, };

/**
 * One mark.
 */
export type TimelineMark = { "kind": "event" } & TimelineEvent | { "kind": "older",
/**
 * The message.
 */
event: string,
/**
 * The lane it is drawn in.
 */
home: string,
/**
 * When it reached us.
 */
at_ms: number, } | { "kind": "seen",
/**
 * When that held.
 */
at_ms: number,
/**
 * The state.
 */
status: string,
/**
 * True if the newest message before it said something else.
 */
differs: boolean, } | { "kind": "try",
/**
 * Its job.
 */
job: string,
/**
 * Counts from 1.
 */
n: number,
/**
 * When it left.
 */
at_ms: number,
/**
 * When it was answered or given up.
 */
end_ms: number | null,
/**
 * `answered`, `replayed`, `lost`, `wait`, `refused`, `not_sent` or `sending`.
 */
mark: string,
/**
 * What came of it.
 */
says: string, } | { "kind": "aside",
/**
 * Its number in this log.
 */
seq: number,
/**
 * When it reached us.
 */
at_ms: number,
/**
 * `quarantined` or `unreadable`.
 */
standing: string,
/**
 * `valid`, `invalid`, `missing` or `unchecked`.
 */
signature: string,
/**
 * Flags of the contract's list.
 */
flags: Array<string>, } | { "kind": "bin",
/**
 * The first of them.
 */
from_ms: number,
/**
 * The last of them.
 */
to_ms: number,
/**
 * How many.
 */
count: number,
/**
 * Of them, those that were overtaken.
 */
late: number,
/**
 * Of them, those that came again.
 */
again: number,
/**
 * Of them, those that tell of a failure.
 */
failed: number, };

/**
 * A message as it is drawn.
 */
export type TimelineEvent = {
/**
 * Its id.
 */
event: string,
/**
 * Its name, such as `post.platform.published`.
 */
name: string,
/**
 * What its lane becomes by it.
 */
status: string | null,
/**
 * Platform it speaks of.
 */
platform: string | null,
/**
 * When it happened at Pozy.
 */
happened_ms: number | null,
/**
 * Number of its first arrival in this log.
 */
first_seq: number,
/**
 * When that reached us.
 */
arrived_ms: number,
/**
 * How often it reached us.
 */
arrivals: number,
/**
 * `in_order`, `late`, `tie` or `unplaced`.
 */
order: string,
/**
 * First arrival minus happened, if late, milliseconds.
 */
late_by_ms: number | null,
/**
 * The event that overtook it.
 */
overtaken_by: string | null,
/**
 * Messages of one lane with the same text here happened at the same instant.
 */
tie: string | null,
/**
 * True if its own lane already held something newer.
 */
stale: boolean,
/**
 * True if it changed a lane.
 */
applied: boolean,
/**
 * True for a test.
 */
test: boolean,
/**
 * Flags of the contract's list.
 */
flags: Array<string>,
/**
 * Its second and later arrivals in their order, the first hundred of them.
 */
copies: Array<TimelineCopy>, };

/**
 * A second or later arrival.
 */
export type TimelineCopy = {
/**
 * Its number in this log.
 */
seq: number,
/**
 * When it reached us.
 */
at_ms: number,
/**
 * Counts from 2.
 */
copy: number,
/**
 * Why it came.
 */
cause: CauseRow | null, };

/**
 * How finely to look at the whole log.
 */
export type TimelineMapArgs = {
/**
 * Bins over the whole log, 10 to 2000.
 */
bins: number, };

/**
 * The whole log at a glance.
 */
export type TimelineMap = {
/**
 * The first instant with a mark; none in an empty log.
 */
from_ms: number | null,
/**
 * Now, or the last instant with a mark if that is later.
 */
to_ms: number,
/**
 * Where the first bin begins: at `from_ms` or up to a bin before.
 */
counts_from_ms: number,
/**
 * Width of a bin, a power of two.
 */
bin_ms: number,
/**
 * Arrivals in each bin.
 */
counts: Array<number>,
/**
 * When jobs were asked for that need a person now.
 */
needs_person_ms: Array<number>,
/**
 * When a post went out that is live twice, unasked, newest first.
 */
twice_ms: Array<number>,
/**
 * Stretches without any mark, longer than five minutes, whole minutes, in order.
 */
quiet: Array<TimelineStretch>,
/**
 * Times in which nobody listened, longer than ten seconds, in order.
 */
gaps: Array<TimelineStretch>, };

/**
 * A stretch of time.
 */
export type TimelineStretch = {
/**
 * Its beginning.
 */
from_ms: number,
/**
 * Its end.
 */
to_ms: number, };

/**
 * Something that was pasted or dropped.
 */
export type WhyLookArgs = {
/**
 * As it came.
 */
text: string, };

/**
 * What it is.
 */
export type WhyLook = {
/**
 * Each thing in it.
 */
things: Array<Thing>, };

/**
 * One thing of a paste.
 */
export type Thing = {
/**
 * What it is, or is taken for.
 */
kind: ThingKind,
/**
 * As it is asked about.
 */
value: string,
/**
 * True if the log has an id of that name; addresses and words are looked for when the question is asked.
 */
known: boolean, };

/**
 * What somebody can ask about.
 */
export type ThingKind = "post" | "url" | "text" | "key" | "event" | "job";

/**
 * What somebody asks about; any mixture, at least one thing.
 */
export type WhyArgs = {
/**
 * Ids of posts.
 */
posts: Array<string>,
/**
 * Live addresses.
 */
urls: Array<string>,
/**
 * Words of posts, or parts of them.
 */
texts: Array<string>,
/**
 * Keys.
 */
keys: Array<string>,
/**
 * Events.
 */
events: Array<string>,
/**
 * Jobs.
 */
jobs: Array<string>, };

/**
 * The verdict.
 */
export type WhyAnswer = {
/**
 * One of the closed list.
 */
verdict: Verdict,
/**
 * What is so, in at most six words.
 */
headline: string,
/**
 * How sure it is, from the rows alone.
 */
confidence: Confidence,
/**
 * What happened.
 */
says: string,
/**
 * Whose side it was.
 */
side: Side,
/**
 * The same in words.
 */
side_says: string,
/**
 * Whether it can happen again.
 */
again: string,
/**
 * How to prevent it.
 */
prevent: string,
/**
 * The rows it rests on, by time.
 */
proof: Array<WhyProof>,
/**
 * What would make it surer.
 */
missing: Array<string>,
/**
 * What fits too, but says less.
 */
also: Array<WhyAlso>,
/**
 * What to do, one step after the other.
 */
next: Array<string>,
/**
 * The posts, oldest first.
 */
posts: Array<string>,
/**
 * Jobs of the case, in the order they were asked for.
 */
jobs: Array<string>,
/**
 * The case as a picture.
 */
chain: CaseChain, };

/**
 * Why there are two (design 5).
 */
export type Verdict = "allowed_repeat" | "key_per_try" | "workspace_changed" | "key_expired" | "edited_after_refusal" | "false_failure_reposted" | "two_jobs_same_content" | "publisher_side" | "copies_of_one_event" | "rollup_and_target" | "key_reused" | "not_sent_from_here" | "not_enough_evidence";

/**
 * Whose side a cause lies on.
 */
export type Side = "us" | "network" | "other_tool" | "pozy" | "unknown";

/**
 * How sure a cause is.
 */
export type Confidence = "high" | "medium" | "low";

/**
 * One row that a verdict rests on.
 */
export type WhyProof = {
/**
 * What it is.
 */
kind: ProofKind,
/**
 * The id of Pozy's or the log's own thing.
 */
name: string,
/**
 * When it was sent, happened, arrived, held or was noted.
 */
at: Stamp,
/**
 * What it says.
 */
text: string,
/**
 * True if the verdict cannot stand without it, false if it only supports it.
 */
needed: boolean,
/**
 * Its picture: that of a try, `live`, `failed`, `partly`, `news`, `again`, `seen` or `note`.
 */
mark: string, };

/**
 * What a proof row is.
 */
export type ProofKind = "attempt" | "event" | "arrival" | "observation" | "note";

/**
 * Another verdict that fits.
 */
export type WhyAlso = {
/**
 * The code.
 */
verdict: Verdict,
/**
 * It in at most six words.
 */
headline: string,
/**
 * How sure it is.
 */
confidence: Confidence,
/**
 * What happened.
 */
says: string, };

/**
 * The picture.
 */
export type CaseChain = {
/**
 * Nodes by row, then from job to arrivals.
 */
nodes: Array<CaseNode>,
/**
 * Ties.
 */
links: Array<CaseLink>,
/**
 * Changes of words.
 */
changes: Array<CaseChange>,
/**
 * Rows there are.
 */
rows: number,
/**
 * Tries and messages that are not drawn.
 */
left_out: number, };

/**
 * One thing of the case.
 */
export type CaseNode = {
/**
 * Names it among the nodes.
 */
id: string,
/**
 * What it is.
 */
kind: CaseKind,
/**
 * Its row in the picture, from 0.
 */
row: number,
/**
 * Id of the log's or Pozy's own thing: job, key, `JOB/N`, post or event.
 */
name: string,
/**
 * First words of a post; the name of a message; the workspace of a job.
 */
text: string | null,
/**
 * Picture of a try: `answered`, `replayed`, `lost`, `wait`, `refused`, `not_sent`.
 */
mark: string | null,
/**
 * State of a post or of what a message speaks of.
 */
status: string | null,
/**
 * Platform a message speaks of.
 */
platform: string | null,
/**
 * Status of the answer to a try.
 */
code: number | null,
/**
 * Number of a try, of a key of its job, or how often a message arrived.
 */
n: number,
/**
 * When: asked for, first used, left, first known, happened, first arrived.
 */
at_ms: number | null,
/**
 * Until when: key alive, try answered or given up, last arrival.
 */
until_ms: number | null,
/**
 * How it stands out.
 */
glow: CaseGlow, };

/**
 * What a node is.
 */
export type CaseKind = "job" | "key" | "try" | "post" | "message" | "arrivals";

/**
 * How a node stands out.
 */
export type CaseGlow = "plain" | "proof" | "second";

/**
 * A tie between two nodes.
 */
export type CaseLink = {
/**
 * The earlier node's id.
 */
from: string,
/**
 * The later node's id.
 */
to: string,
/**
 * What it is.
 */
tie: CaseTie, };

/**
 * How sure a tie is, and what it means.
 */
export type CaseTie = "recorded" | "worked_out" | "made_two" | "already_there";

/**
 * Where words were changed between two tries.
 */
export type CaseChange = {
/**
 * Id of the try with the old words.
 */
from: string,
/**
 * Id of the try with the new words.
 */
to: string,
/**
 * What stood there.
 */
before: string,
/**
 * What stands there now.
 */
after: string, };

/**
 * What a case file would hold.
 */
export type WhyCase = {
/**
 * Rows of the log.
 */
rows: number,
/**
 * Places that are masked.
 */
masked: number,
/**
 * What is masked, kind by kind; never a value.
 */
kinds: Array<MaskedKind>, };

/**
 * Masked places of one kind.
 */
export type MaskedKind = {
/**
 * Where such values stand, such as `header authorization`.
 */
kind: string,
/**
 * Places.
 */
places: number,
/**
 * The placeholders that stand there.
 */
placeholders: Array<string>, };

/**
 * Other jobs with the same cause.
 */
export type WhyAlike = {
/**
 * False if this verdict is nothing that jobs share.
 */
applies: boolean,
/**
 * The jobs, newest first; at most 200.
 */
jobs: Array<WhyAlikeJob>,
/**
 * How many there are among those that were looked at.
 */
count: number,
/**
 * Newest jobs that were looked at.
 */
looked: number,
/**
 * True if these are all jobs of the log.
 */
whole: boolean, };

/**
 * A job with the same cause.
 */
export type WhyAlikeJob = {
/**
 * Its mark.
 */
job: string,
/**
 * When it was asked for.
 */
at: Stamp,
/**
 * Its post, if one is known.
 */
post: string | null,
/**
 * Its words.
 */
text: string | null, };

/**
 * Files for a person to keep.
 */
export type SavedFiles = {
/**
 * Each of them.
 */
files: Array<SavedFile>, };

/**
 * One file.
 */
export type SavedFile = {
/**
 * A name for it.
 */
name: string,
/**
 * What it holds.
 */
text: string, };

/**
 * Which part of the posts to show.
 */
export type PostsPageArgs = {
/**
 * `next` of the page before.
 */
after?: string,
/**
 * Rows wanted, at most 200.
 */
limit?: number, };

/**
 * A page of jobs: what nobody knows the outcome of, then what else needs a person, what is under way, what is done; newest first in each.
 */
export type PostsPage = {
/**
 * The rows.
 */
rows: Array<JobRow>,
/**
 * Give it back as `after` for the next page.
 */
next: string | null, };

/**
 * One job.
 */
export type JobRow = {
/**
 * Its mark.
 */
job: string,
/**
 * `needs_you`, `under_way` or `done`.
 */
group: string,
/**
 * When it was asked for.
 */
created: Stamp,
/**
 * Method and path of the call.
 */
path: string,
/**
 * Asked for here, or read from a file.
 */
origin: Origin,
/**
 * Name of its workspace.
 */
workspace: string,
/**
 * Its key; none for an imported job without one.
 */
key: string | null,
/**
 * Where it stands.
 */
state: State,
/**
 * What its tries add up to.
 */
outcome: Outcome,
/**
 * The attempt that made the post, if that is known.
 */
created_by_attempt: number | null,
/**
 * The post.
 */
post: string | null,
/**
 * What the log last knew of the post, such as `published`.
 */
post_status: string | null,
/**
 * When a fetch last confirmed or overruled that state.
 */
post_confirmed: Stamp | null,
/**
 * What messages last said of the post, where a later fetch says otherwise.
 */
post_drift: Drift | null,
/**
 * What a person found when they looked for it, if they did after the latest try.
 */
settled: SettledRow | null,
/**
 * The kind of the latest answer; none before the first try.
 */
answer: AnswerKind | null,
/**
 * Which part of its life the key is in.
 */
key_phase: KeyPhase | null,
/**
 * When it is tried next by itself: not before the wait of the whole connection is over.
 */
next: Stamp | null,
/**
 * True if that is when the wait of the whole connection ends (429), not its own.
 */
held: boolean,
/**
 * Why nothing is planned although the outcome is open.
 */
waits_for_person: string | null,
/**
 * First use of the key.
 */
key_since: Stamp | null,
/**
 * Until when asking by itself is safe: the key's end less the margin.
 */
safe_until: Stamp | null,
/**
 * End of the key's life.
 */
key_expires: Stamp | null,
/**
 * What a person should know.
 */
warnings: Array<Warning>,
/**
 * First words of the post.
 */
text: string | null,
/**
 * Where it goes.
 */
targets: Array<Target>,
/**
 * As it was asked: local time without an offset, and its zone.
 */
scheduled_for: string | null,
/**
 * Zone of `scheduled_for`.
 */
timezone: string | null,
/**
 * Each try as a mark: `sending`, `answered`, `replayed`, `lost`, `wait`, `refused`.
 */
tries: Array<string>,
/**
 * Whether the stored key may be asked again now.
 */
ask_again: Offer,
/**
 * Whether it may be posted again with a new key; what that would do is its forecast's to say.
 */
post_again: Offer,
/**
 * True while it waits and can be stopped.
 */
can_cancel: boolean,
/**
 * True if only a file names its workspace, and a person may say that it is the one in use: then it can be sent.
 */
may_tie: boolean, };

/**
 * An act that is offered, or why it is not.
 */
export type Offer = {
/**
 * True if it may be done now.
 */
offered: boolean,
/**
 * What it would do, or why it is not offered.
 */
why: string, };

/**
 * One account a post goes to.
 */
export type Target = {
/**
 * Platform name.
 */
platform: string,
/**
 * Account id.
 */
account: string, };

/**
 * Names one job.
 */
export type JobArgs = {
/**
 * Its mark.
 */
job: string, };

/**
 * Asks what an act on a job would do at this minute.
 */
export type ForecastArgs = {
/**
 * The job's mark.
 */
job: string,
/**
 * `ask_again` or `post_again`.
 */
action: Act,
/**
 * Accounts to post again to; none leaves it to the forecast: the failed ones where others are live, else all.
 */
accounts?: Array<string>,
/**
 * Other words to post again with; none keeps the job's own.
 */
content?: string, };

/**
 * A forecast with the id that a click carries. Good for one click.
 */
export type ForecastRow = {
/**
 * Given back by the call that does it.
 */
id: string,
/**
 * The act.
 */
action: Act,
/**
 * What would come of it.
 */
effect: Effect,
/**
 * Every status Pozy may answer with, ascending.
 */
expects: Array<number>,
/**
 * `safe` starts by Enter; `confirm` needs its own button; `blocked` a typed reason before that.
 */
risk: Risk,
/**
 * Why, the weightiest first.
 */
because: Array<Because>,
/**
 * What to do instead, or next.
 */
suggest: Suggest | null,
/**
 * The accounts it is about.
 */
accounts: Array<string>,
/**
 * Present if the planned time cannot be taken as it stands, with the ways to read it.
 */
time_trap: TimeTrap | null,
/**
 * What may stand on those accounts already, for a person to compare.
 */
beside: Array<BesideRow>,
/**
 * When it was worked out.
 */
at: Stamp, };

/**
 * A planned time that comes twice, never, or cannot be read.
 */
export type TimeTrap = {
/**
 * `twice`, `missing` or `unreadable`.
 */
kind: string,
/**
 * The ways to read it, earlier first; none if it cannot be read at all.
 */
readings: Array<TimeReading>, };

/**
 * One way to read a planned time. To pick it, ask for `scheduled_for` in `timezone`.
 */
export type TimeReading = {
/**
 * As the zone's clocks show it then, with their offset.
 */
text: string,
/**
 * The instant.
 */
at: Stamp,
/**
 * Spelling that means this instant alone.
 */
scheduled_for: string,
/**
 * Zone of that spelling.
 */
timezone: string, };

/**
 * Asks a job again.
 */
export type AskAgainArgs = {
/**
 * Its mark.
 */
job: string,
/**
 * The forecast it was confirmed with; without one only what is safe is done.
 */
forecast?: string, };

/**
 * Posts a job's words again: a new job with a new key.
 */
export type PostAgainArgs = {
/**
 * The old job's mark.
 */
job: string,
/**
 * The forecast it was confirmed with.
 */
forecast: string,
/**
 * Why, in a person's own words.
 */
reason: string, };

/**
 * What is about to be done.
 */
export type Act = "submit" | "ask_again" | "post_again";

/**
 * What would come of it.
 */
export type Effect = "returns_existing" | "creates_first" | "creates_second" | "creates_again" | "refused_same_content" | "refused_key_reuse" | "in_progress" | "cannot_tell";

/**
 * How much a person must say before it is done.
 */
export type Risk = "safe" | "confirm" | "blocked";

/**
 * Why.
 */
export type Reason = "key_alive" | "key_gone" | "key_near_end" | "key_age_unknown" | "new_key" | "no_key" | "key_unused" | "key_for_other_words" | "in_progress" | "unknown_outcome" | "answered_no" | "first_not_live" | "first_live" | "same_content_there" | "check_over" | "check_near_end" | "near_content" | "stale_state" | "partial" | "other_workspace" | "schedule_passed" | "draft" | "nothing_there" | "clock_skew" | "seen_not_there" | "looked_too_soon" | "not_seen_on_account" | "time_twice" | "time_missing" | "time_unreadable" | "account_disconnected" | "words_behind";

/**
 * One reason with its sentence.
 */
export type Because = {
/**
 * The reason.
 */
code: Reason,
/**
 * One sentence for a person.
 */
text: string, };

/**
 * A known post, or an open job that may make one, with its words on one account.
 */
export type BesideRow = {
/**
 * The post; none for an open job.
 */
post: string | null,
/**
 * The open job.
 */
job: string | null,
/**
 * The account.
 */
account: string,
/**
 * Its words there, if they are known.
 */
text: string | null,
/**
 * Since when it is live, if it surely is.
 */
since: Stamp | null,
/**
 * True if it comes from the same job, or from one that was posted again from it.
 */
own: boolean, };

/**
 * What to do instead, or next.
 */
export type Suggest = "ask_again" | "post_again" | "fetch_first" | "open_existing" | "wait" | "fix" | "failed_targets_only";

/**
 * Plans a bulk; sends nothing.
 */
export type PlanBulkArgs = {
/**
 * The jobs it takes, from the whole log.
 */
filter: BulkFilter, };

/**
 * What is asked for. With `jobs` it is those and no others; else every job that did not finish well and fits all the
 * rest.
 */
export type BulkFilter = {
/**
 * These jobs, by their marks.
 */
jobs?: Array<string>,
/**
 * Asked for in the last so many hours; 30 unless said.
 */
since_h?: number,
/**
 * Only for these reasons; empty for all of them.
 */
kinds?: Array<BulkKind>,
/**
 * Only posts that hold these words, whatever their case.
 */
text?: string,
/**
 * Only posts that go to this account.
 */
account?: string,
/**
 * Jobs that were read from a file as well.
 */
imported?: boolean, };

/**
 * Why a job did not finish well. A closed list.
 */
export type BulkKind = "unknown" | "waiting" | "never_sent" | "refused" | "stopped" | "failed" | "partly_live";

/**
 * Names one bulk.
 */
export type BulkArgs = {
/**
 * Its mark.
 */
bulk: string, };

/**
 * Runs groups of a bulk, or goes on with those that were chosen before.
 */
export type RunBulkArgs = {
/**
 * Its mark.
 */
bulk: string,
/**
 * What a person decided; empty to go on.
 */
groups: Array<BulkChoice>,
/**
 * Most rows on the wire at once, 1 to 16; kept for the next bulk as well.
 */
at_once?: number, };

/**
 * A group that is to run.
 */
export type BulkChoice = {
/**
 * The group.
 */
group: BulkGroup,
/**
 * Why new posts are made, in a person's own words; needed where they are.
 */
reason?: string, };

/**
 * The bulks of this log, newest first.
 */
export type Bulks = {
/**
 * At most 20.
 */
bulks: Array<BulkDetail>, };

/**
 * One bulk: what it takes, how far it is, and what was foretold against what came.
 */
export type BulkDetail = {
/**
 * Its mark.
 */
bulk: string,
/**
 * When its dry run was made.
 */
created: Stamp,
/**
 * The workspace it sends to.
 */
workspace: string,
/**
 * What was asked for.
 */
filter: BulkFilter,
/**
 * Where it stands.
 */
state: BulkState,
/**
 * True while a program is at work on it; a bulk that runs without one was interrupted.
 */
at_work: boolean,
/**
 * Why it stands still.
 */
why: string | null,
/**
 * Most rows on the wire at once.
 */
at_once: number,
/**
 * Jobs in it.
 */
jobs: number,
/**
 * Its groups in their order, only those with jobs.
 */
groups: Array<BulkGroupRow>,
/**
 * How far it is, and what came of it.
 */
account: BulkAccount,
/**
 * Until when Pozy asked to slow down; none if nothing is held.
 */
held_until: Stamp | null, };

/**
 * Where a bulk stands. A closed list.
 */
export type BulkState = "planning" | "planned" | "running" | "paused" | "differs" | "stopped" | "done";

/**
 * One group of a bulk.
 */
export type BulkGroupRow = {
/**
 * The group.
 */
group: BulkGroup,
/**
 * Jobs in it.
 */
jobs: number,
/**
 * How far it is, and what was foretold of it against what came.
 */
account: BulkAccount,
/**
 * True if it can be run.
 */
runs: boolean,
/**
 * True if running it makes new posts, so that a person has to say why.
 */
needs_reason: boolean,
/**
 * True if a person decided to run it.
 */
chosen: boolean,
/**
 * The reason they gave.
 */
reason: string | null, };

/**
 * The groups of a dry run, in the order they are shown. A closed list.
 */
export type BulkGroup = "ask_again" | "fetch_first" | "already_live" | "post_again" | "failed_targets" | "elsewhere" | "wait" | "look_first" | "fix_first" | "fine" | "left_out";

/**
 * How far a bulk is, and in the end what was foretold against what came.
 */
export type BulkAccount = {
/**
 * Rows that run.
 */
of: number,
/**
 * Rows that are over.
 */
over: number,
/**
 * Rows that are being done.
 */
under_way: number,
/**
 * Rows that wait to be asked again.
 */
open: number,
/**
 * Rows that came as foretold.
 */
as_foretold: number,
/**
 * Rows that came otherwise.
 */
differed: number,
/**
 * Rows of which nothing was sent, since their forecast had changed.
 */
changed: number,
/**
 * Rows whose outcome is still open.
 */
unsettled: number,
/**
 * Rows that were not run.
 */
left_alone: number,
/**
 * Posts made.
 */
posts_created: number,
/**
 * Posts made beside which another one with the same words is live.
 */
second_live: number,
/**
 * Time left, milliseconds; none before the first row is over, or if nothing runs.
 */
left_ms: number | null, };

/**
 * Which rows of a bulk to show.
 */
export type BulkRowsArgs = {
/**
 * Its mark.
 */
bulk: string,
/**
 * Only of this group.
 */
group?: BulkGroup,
/**
 * `next` of the page before.
 */
after?: number,
/**
 * Rows wanted, at most 200.
 */
limit?: number, };

/**
 * A page of a bulk's rows.
 */
export type BulkRows = {
/**
 * The rows, in the order of the bulk.
 */
rows: Array<BulkRow>,
/**
 * Give it back as `after` for the next page.
 */
next: number | null, };

/**
 * One job of a bulk.
 */
export type BulkRow = {
/**
 * Counts from 1 in the bulk.
 */
n: number,
/**
 * The job's mark.
 */
job: string,
/**
 * First words of the post.
 */
text: string | null,
/**
 * Where it goes.
 */
targets: Array<Target>,
/**
 * Its group.
 */
group: BulkGroup,
/**
 * Why it is in that group, in one sentence.
 */
says: string,
/**
 * What its group's act would do.
 */
forecast: BulkForecast | null,
/**
 * Where it stands.
 */
state: BulkRowState,
/**
 * When it is asked again.
 */
next: Stamp | null,
/**
 * The job that a Post again made.
 */
made: string | null,
/**
 * What came of it.
 */
actual: BulkActual | null, };

/**
 * What was foretold of a row in the dry run.
 */
export type BulkForecast = {
/**
 * The act.
 */
action: Act,
/**
 * What would come of it.
 */
effect: Effect,
/**
 * Every status Pozy may answer with, ascending.
 */
expects: Array<number>,
/**
 * How much a person must say.
 */
risk: Risk,
/**
 * Why, the weightiest first.
 */
because: Array<Because>,
/**
 * The accounts it is about.
 */
accounts: Array<string>, };

/**
 * Where a row stands. A closed list.
 */
export type BulkRowState = "waits" | "begun" | "open" | "done" | "differs" | "changed" | "unsettled";

/**
 * What happened to a row in the end.
 */
export type BulkActual = {
/**
 * What came of it; none if nothing was sent or nobody knows.
 */
effect: Effect | null,
/**
 * Status of the final answer.
 */
status: number | null,
/**
 * The post it tells of.
 */
post: string | null,
/**
 * A post was made by this row.
 */
made: boolean,
/**
 * Other posts with the very words of that one are live on one of its accounts.
 */
second: Array<string>,
/**
 * One sentence for a person.
 */
says: string, };

/**
 * A file of posts, as a person chose it.
 */
export type ManyPreviewArgs = {
/**
 * Its name.
 */
name: string,
/**
 * Its text.
 */
text: string,
/**
 * Effects that are taken although they are not safe.
 */
confirmed: Array<Effect>, };

/**
 * What each row of a file would do. Nothing was sent.
 */
export type ManyPreview = {
/**
 * Given back by the call that sends; good until the program stops or several newer ones were made.
 */
id: string,
/**
 * The rows in order.
 */
rows: Array<ManyRow>,
/**
 * Columns that are not known; their cells are left aside.
 */
unknown_columns: Array<string>, };

/**
 * One row of a file.
 */
export type ManyRow = {
/**
 * The line it starts on, from 1.
 */
line: number,
/**
 * Its job, once it has one.
 */
job: string | null,
/**
 * First words of the post; none if it cannot be read as one.
 */
text: string | null,
/**
 * Accounts it goes to.
 */
accounts: Array<string>,
/**
 * When it goes out, as the file says; none is at once.
 */
scheduled_for: string | null,
/**
 * Its zone, where the time has no offset.
 */
timezone: string | null,
/**
 * Where it stands.
 */
state: RowState,
/**
 * What would come of sending it; none if it has a job already or is no post.
 */
effect: Effect | null,
/**
 * How much a person must say first.
 */
risk: Risk | null,
/**
 * Why, the weightiest first.
 */
because: Array<Because>,
/**
 * What to do instead.
 */
suggest: Suggest | null,
/**
 * Why it is no post, or was not sent.
 */
why: string | null, };

/**
 * Where a row stands: what would become of it, or where its job stands.
 */
export type RowState = "ready" | "left_out" | "wrong" | State;

/**
 * Sends rows of a file that was looked at.
 */
export type ManySubmitArgs = {
/**
 * The file's preview.
 */
id: string,
/**
 * Lines to send, in the order of the file.
 */
lines: Array<number>,
/**
 * Effects that are taken although they are not safe.
 */
confirmed: Array<Effect>, };

/**
 * What became of rows.
 */
export type ManySubmitted = {
/**
 * The rows that had their turn.
 */
rows: Array<ManyRow>,
/**
 * Until when Pozy asked everybody to wait. The last row of `rows` is asked again then; what follows had no turn.
 */
wait_until: Stamp | null, };

/**
 * One job with its tries.
 */
export type JobDetail = {
/**
 * The row.
 */
row: JobRow,
/**
 * The tries, first to last.
 */
attempts: Array<AttemptRow>,
/**
 * The frozen body, if it is kept and is text.
 */
body: string | null,
/**
 * The whole words of the post, if the body is kept and says some.
 */
text: string | null,
/**
 * The job it posts again.
 */
again_of: string | null,
/**
 * Why it was posted again, in a person's words.
 */
again_reason: string | null,
/**
 * The job that posts it again.
 */
posted_again: string | null,
/**
 * What people noted.
 */
notes: Array<NoteRow>,
/**
 * What the cards show.
 */
facts: JobFacts, };

/**
 * One try.
 */
export type AttemptRow = {
/**
 * Counts from 1 in the job.
 */
n: number,
/**
 * When it left.
 */
at: Stamp,
/**
 * The mark of [`JobRow::tries`].
 */
mark: string,
/**
 * How it ended; none while it is under way.
 */
result: EndKind | null,
/**
 * When that was known.
 */
ended: Stamp | null,
/**
 * Status of the answer.
 */
status: number | null,
/**
 * What it means, in one sentence.
 */
says: string,
/**
 * The answer's body, if it is kept and is text.
 */
answer: string | null, };

/**
 * What a person saw or decided.
 */
export type NoteRow = {
/**
 * When.
 */
at: Stamp,
/**
 * Action of design 7.
 */
action: string,
/**
 * The post it names.
 */
post: string | null,
/**
 * `settled`: whether a post is there.
 */
there: boolean | null,
/**
 * Their words.
 */
text: string, };

/**
 * Everything that the cards of a job show beside its row and its tries.
 */
export type JobFacts = {
/**
 * The latest answer; none before the first try.
 */
answer: AnswerCard | null,
/**
 * The life of the key; none for a job without one.
 */
key: KeyLife | null,
/**
 * The clocks; none before the first answer that told Pozy's.
 */
skew: ClockSkew | null,
/**
 * What is known of the job's post: also what a Post again would stand beside.
 */
post: PostNow | null,
/**
 * Accounts on which the post failed or was cancelled.
 */
failed_targets: Array<Target>,
/**
 * Until when Pozy wants this connection to be left alone.
 */
connection_waits: Stamp | null, };

/**
 * The latest answer of a job, or its loss.
 */
export type AnswerCard = {
/**
 * Which card it is.
 */
kind: AnswerKind,
/**
 * The try it is about, counted from 1.
 */
n: number,
/**
 * When it was known; while under way, when it left.
 */
at: Stamp,
/**
 * Status of the answer.
 */
status: number | null,
/**
 * The post it tells of; for `same_content` the one that is there.
 */
post: PostNow | null,
/**
 * Until when Pozy asked to wait.
 */
until: Stamp | null,
/**
 * The words that were sent.
 */
sent_text: string | null,
/**
 * The words that came back, or that are there, as they were last told.
 */
their_text: string | null,
/**
 * What to mend, in Pozy's own sentence, secrets masked.
 */
mend: string | null,
/**
 * The field that is to be mended.
 */
mend_field: string | null,
/**
 * Pozy's code of the refusal, for support.
 */
mend_code: string | null,
/**
 * Who used the key first, where that was another job.
 */
first_call: FirstCall | null,
/**
 * Host that a redirection leads to.
 */
leads_to: string | null, };

/**
 * What the latest try came to. A closed list: one card each.
 */
export type AnswerKind = "under_way" | "created" | "replayed" | "replayed_other" | "saving" | "in_progress" | "same_content" | "rate_limited" | "busy" | "lost" | "not_sent" | "refused" | "key_elsewhere" | "redirected";

/**
 * The first call with a key.
 */
export type FirstCall = {
/**
 * Its job.
 */
job: string,
/**
 * Its number there.
 */
n: number,
/**
 * When it left.
 */
at: Stamp,
/**
 * HTTP method.
 */
method: string,
/**
 * Path of the call.
 */
path: string, };

/**
 * The life of a job's key.
 */
export type KeyLife = {
/**
 * Which part it is in.
 */
phase: KeyPhase,
/**
 * Its first use.
 */
since: Stamp | null,
/**
 * From here on only a person asks.
 */
safe_until: Stamp | null,
/**
 * Pozy surely remembers it until here.
 */
sure_until: Stamp | null,
/**
 * Its life ends.
 */
ends: Stamp | null,
/**
 * From here on Pozy surely forgot it.
 */
gone_from: Stamp | null,
/**
 * What changes next, in one sentence.
 */
says: string, };

/**
 * In which part of its life a key is.
 */
export type KeyPhase = "unused" | "safe" | "by_hand" | "too_close" | "gone" | "unknown";

/**
 * The clocks, compared by the `Date` of the workspace's latest answer.
 */
export type ClockSkew = {
/**
 * Pozy's clock less ours, milliseconds: positive if ours is behind.
 */
ahead_ms: number,
/**
 * When that was measured.
 */
measured: Stamp,
/**
 * True if it is more than the whole seconds of `Date` explain.
 */
matters: boolean, };

/**
 * What is known of a post now.
 */
export type PostNow = {
/**
 * The post.
 */
post: string,
/**
 * Its state; none while it is tied or was never told.
 */
status: string | null,
/**
 * Since when that is known.
 */
as_of: Stamp | null,
/**
 * When a fetch last agreed or overruled: "confirmed by Pozy at".
 */
confirmed: Stamp | null,
/**
 * What messages last said, where a later fetch says otherwise.
 */
drift: Drift | null,
/**
 * True if only a fetch can say how it stands.
 */
wants_fetch: boolean,
/**
 * Its words, where all accounts have the same; else those of the first.
 */
text: string | null,
/**
 * When it is, or was, to be published.
 */
scheduled: Stamp | null,
/**
 * Its targets.
 */
targets: Array<TargetNow>, };

/**
 * What is known of one target of a post.
 */
export type TargetNow = {
/**
 * Its account.
 */
account: string,
/**
 * Its state; none while it is tied or was never told.
 */
status: string | null,
/**
 * Since when that is known.
 */
as_of: Stamp | null,
/**
 * When a fetch last agreed or overruled.
 */
confirmed: Stamp | null,
/**
 * What messages last said, where a later fetch says otherwise.
 */
drift: Drift | null,
/**
 * Its words as they were last told.
 */
text: string | null,
/**
 * When it went live, as far as an answer or a fetch told.
 */
published: Stamp | null, };

/**
 * Messages and a later fetch disagree.
 */
export type Drift = {
/**
 * What messages last said.
 */
told: string,
/**
 * When that happened.
 */
told_at: Stamp,
/**
 * What the fetch saw.
 */
seen: string,
/**
 * When it was fetched.
 */
seen_at: Stamp, };

/**
 * What a person found when they looked for a job's post.
 */
export type SettledRow = {
/**
 * When they noted it.
 */
at: Stamp,
/**
 * True if it is there, false if none is.
 */
there: boolean,
/**
 * The post it is, if they could say.
 */
post: string | null,
/**
 * Their words.
 */
text: string, };

/**
 * What to ask Pozy about; exactly one.
 */
export type FetchArgs = {
/**
 * A job: its post, or the newest posts where its post is not known.
 */
job?: string,
/**
 * A post.
 */
post?: string,
/**
 * A connected account.
 */
account?: string, };

/**
 * What Pozy says.
 */
export type FetchReport = {
/**
 * What came of asking.
 */
result: FetchResult,
/**
 * When.
 */
at: Stamp,
/**
 * What it means and what to do next, in plain words.
 */
says: string,
/**
 * From when on Pozy may be asked again.
 */
wait_until: Stamp | null,
/**
 * The post as it is known now.
 */
post: PostNow | null,
/**
 * State of the account as it is known now.
 */
account_status: string | null,
/**
 * For a job whose post is not known: posts on its accounts with equal or nearly equal words, best first.
 */
candidates: Array<Candidate>, };

/**
 * What came of asking.
 */
export type FetchResult = "told" | "gone" | "wait" | "unclear" | "silent";

/**
 * A post that may be the one a lost try made.
 */
export type Candidate = {
/**
 * What is known of it.
 */
post: PostNow,
/**
 * How many characters its words differ by; 0 for the same words.
 */
differs_by: number,
/**
 * Accounts of the job that it is on.
 */
accounts: Array<string>, };

/**
 * Says which workspace the name in a file means, or takes that back.
 */
export type TieArgs = {
/**
 * The name in the file.
 */
name: string,
/**
 * True for the workspace in use; false takes a tie back.
 */
tie: boolean, };

/**
 * Workspaces that only files name.
 */
export type FileWorkspaces = {
/**
 * By name.
 */
rows: Array<FileWorkspaceRow>, };

/**
 * One of them.
 */
export type FileWorkspaceRow = {
/**
 * The name in the file.
 */
name: string,
/**
 * The workspace that a person said it means; its jobs may be sent by hand through that one.
 */
means: string | null,
/**
 * How many jobs bear the name.
 */
jobs: number, };

/**
 * What is worth a fetch now.
 */
export type Looks = {
/**
 * What only a fetch can tell, at most a hundred.
 */
rows: Array<LookRow>,
/**
 * Until when Pozy wants this connection to be left alone.
 */
connection_waits: Stamp | null, };

/**
 * Something that only a fetch can tell.
 */
export type LookRow = {
/**
 * The post, if it is one.
 */
post: string | null,
/**
 * The account, if it is one.
 */
account: string | null,
/**
 * The job whose outcome is not known, if that is why.
 */
job: string | null,
/**
 * `tie`, `unplaced`, `unknown` or `gap`.
 */
why: string,
/**
 * Why, in one sentence.
 */
says: string,
/**
 * When it is next fetched by itself; none for what only a person asks for.
 */
by_itself_at: Stamp | null, };

/**
 * The connected accounts, fetched now.
 */
export type Accounts = {
/**
 * The accounts.
 */
accounts: Array<AccountRow>,
/**
 * Why they could not be fetched; then an account can still be typed.
 */
problem: string | null, };

/**
 * One connected account.
 */
export type AccountRow = {
/**
 * Account id.
 */
id: string,
/**
 * Platform name.
 */
platform: string,
/**
 * What people call it.
 */
name: string,
/**
 * False if Pozy says that it is disconnected.
 */
connected: boolean, };

/**
 * The webhooks registered at Pozy, fetched now.
 */
export type Webhooks = {
/**
 * The webhooks.
 */
webhooks: Array<WebhookRow>,
/**
 * Why they could not be fetched.
 */
problem: string | null, };

/**
 * One registered webhook.
 */
export type WebhookRow = {
/**
 * Its id at Pozy.
 */
id: string,
/**
 * What people call it.
 */
name: string,
/**
 * Where it sends.
 */
url: string,
/**
 * The events it sends; empty means all.
 */
events: Array<string>,
/**
 * False if it was switched off.
 */
active: boolean, };

/**
 * A new post.
 */
export type SubmitArgs = {
/**
 * The words.
 */
content: string,
/**
 * Where it goes, at least one.
 */
targets: Array<Target>,
/**
 * Local time without an offset, such as `2026-11-05T09:00`; none publishes now.
 */
scheduled_for?: string,
/**
 * Zone of `scheduled_for`, IANA name.
 */
timezone?: string,
/**
 * Public addresses of pictures and films.
 */
media_urls: Array<string>,
/**
 * Made by the form when it opens; the same one twice sends once, so a double click makes one job.
 */
form: string,
/**
 * The forecast it was confirmed with; without one only what is safe is sent.
 */
forecast?: string, };

/**
 * Records what a person saw or decided.
 */
export type NoteArgs = {
/**
 * The job it is about.
 */
job?: string,
/**
 * The post it is about. With a job and `settled`: the post that the job made.
 */
post?: string,
/**
 * `settled`, `seen_twice`, `not_seen` or `comment`.
 */
action: string,
/**
 * Their words.
 */
text: string,
/**
 * `settled` of a job: true if its post is there, false if none is. A named post is there.
 */
there?: boolean, };

/**
 * Fires a test webhook.
 */
export type TestArgs = {
/**
 * Webhook id; none means the one that sends to this receiver, else the first.
 */
webhook?: string,
/**
 * Event name to sample; none means the plain test.
 */
event?: string, };

/**
 * What a test webhook did.
 */
export type TestRun = {
/**
 * When it was fired.
 */
fired: Stamp,
/**
 * Status of Pozy's answer; none if there was none.
 */
status: number | null,
/**
 * Pozy's whole answer.
 */
answer: string,
/**
 * The arrival it caused, if one came in time.
 */
arrival: ArrivalRow | null,
/**
 * From firing to its arrival, milliseconds.
 */
round_trip_ms: number | null,
/**
 * What went wrong and what to do.
 */
problem: string | null, };

/**
 * Names a file before it is read: one on this computer, or one that was handed over by the browser.
 */
export type ImportLookArgs = {
/**
 * Its path.
 */
path?: string,
/**
 * What handing it over gave.
 */
upload?: string, };

/**
 * What a file seems to be.
 */
export type ImportLook = {
/**
 * Its name.
 */
name: string,
/**
 * What it is.
 */
kind: FileKind,
/**
 * Its size, bytes.
 */
size: number,
/**
 * Of a table: the names of its columns.
 */
columns: Array<string>,
/**
 * Of a table: its first rows, secrets masked.
 */
rows: Array<Array<string>>,
/**
 * Of a table: what its columns are taken for, as remembered or as their names suggest.
 */
mapping: Mapping | null,
/**
 * True if the mapping is remembered.
 */
remembered: boolean,
/**
 * Of a table: what is missing before it can be read.
 */
lacks: string | null, };

/**
 * What a file is.
 */
export type FileKind = "log_lines" | "har" | "table" | "delivery_log" | "curl" | "requests" | "n8n";

/**
 * What a column holds.
 */
export type ColumnField = "at" | "ended_at" | "took_ms" | "job" | "n" | "method" | "url" | "key" | "request_id" | "workspace" | "body" | "text" | "account" | "platform" | "status" | "answer_body" | "retry_after" | "outcome" | "post" | "event" | "name" | "happened_at";

/**
 * What each column of a table holds; a column that is not here is passed over.
 */
export type Mapping = {
/**
 * Name of a column to what it holds.
 */
columns: { [key in string]: ColumnField },
/**
 * IANA name of the zone for times that bear none.
 */
zone: string, };

/**
 * Starts an import.
 */
export type ImportStartArgs = {
/**
 * Files on this computer.
 */
paths: Array<string>,
/**
 * Files that were handed over by the browser.
 */
uploads: Array<string>,
/**
 * Name of a new case that they go into; none: into the log that is open.
 */
case?: string,
/**
 * Of tables: what their columns hold; none: as remembered, or as their names suggest.
 */
mapping?: Mapping,
/**
 * When requests were made that bear no time of their own, RFC 3339; none: now.
 */
at?: string, };

/**
 * How far the import of one file is.
 */
export type ImportState = "waiting" | "running" | "done" | "stopped" | "failed";

/**
 * The import that is under way, or the last one since the program started.
 */
export type ImportRun = {
/**
 * True while it runs.
 */
running: boolean,
/**
 * Its files, in order.
 */
files: Array<ImportFile>,
/**
 * How long the file that is being read takes still, milliseconds.
 */
left_ms: number | null, };

/**
 * One imported file.
 */
export type ImportFile = {
/**
 * Its name.
 */
file: string,
/**
 * What it is; none before it was looked at.
 */
kind: FileKind | null,
/**
 * How far it is.
 */
state: ImportState,
/**
 * When it was imported; none while it is on its way.
 */
at: Stamp | null,
/**
 * Bytes read.
 */
bytes: number,
/**
 * Bytes in all; zero if it is not known any more.
 */
size: number,
/**
 * Lines read.
 */
read: number,
/**
 * Lines that went in.
 */
added: number,
/**
 * Lines that the log had already.
 */
known: number,
/**
 * How many could not be read.
 */
bad_count: number,
/**
 * Lines that could not be read, the first ones.
 */
bad: Array<BadLine>,
/**
 * Requests that bear no time of their own.
 */
untimed: number,
/**
 * What it says of the client whose log it is.
 */
findings: Array<FindingRow>,
/**
 * Why it could not be read on.
 */
problem: string | null, };

/**
 * A line that could not be read.
 */
export type BadLine = {
/**
 * Its number in the file.
 */
line: number,
/**
 * Why, in short.
 */
why: string, };

/**
 * Something that a client does wrong.
 */
export type FindingRow = {
/**
 * Which.
 */
code: string,
/**
 * How often.
 */
count: number,
/**
 * What it does.
 */
says: string,
/**
 * What to change.
 */
change: string,
/**
 * The tries it rests on, the first ones.
 */
rows: Array<FindingTry>, };

/**
 * A try that a finding rests on.
 */
export type FindingTry = {
/**
 * Its job.
 */
job: string,
/**
 * Its number in the job.
 */
n: number,
/**
 * When it left.
 */
at: Stamp, };

/**
 * The newest imports of the log that is open, newest first.
 */
export type Imports = {
/**
 * One row a file.
 */
files: Array<ImportFile>, };

/**
 * The cases on this computer, newest first.
 */
export type Cases = {
/**
 * One row a case.
 */
cases: Array<CaseRow>, };

/**
 * A log of its own that somebody else's lines were put into.
 */
export type CaseRow = {
/**
 * Names it.
 */
id: string,
/**
 * What people call it.
 */
name: string,
/**
 * When it was made.
 */
made: Stamp,
/**
 * Bytes on the disk.
 */
size: number,
/**
 * True for the one that is shown.
 */
open: boolean, };

/**
 * Names one case.
 */
export type CaseArgs = {
/**
 * Its id.
 */
id: string, };

/**
 * The workspaces, and where secrets are kept on this computer.
 */
export type Workspaces = {
/**
 * The workspaces set up here.
 */
workspaces: Array<WorkspaceRow>,
/**
 * `keychain`, or `file` where no keychain runs.
 */
secrets_in: string,
/**
 * One sentence that says which, and where.
 */
secrets_say: string,
/**
 * Providers whose settings ship with the program.
 */
providers: Array<string>, };

/**
 * Where a menu, the tray, a desktop notice, a dropped file or a second start sends the screens.
 */
export type Go = { "kind": "screen",
/**
 * Its name in the address.
 */
id: string, } | { "kind": "job",
/**
 * Its mark.
 */
id: string, } | { "kind": "post",
/**
 * Its id at Pozy.
 */
id: string, } | { "kind": "event",
/**
 * Its id.
 */
id: string, } | { "kind": "set_aside", } | { "kind": "import",
/**
 * Their full paths.
 */
paths: Array<string>, } | { "kind": "palette", } | { "kind": "keys", } | { "kind": "save_case", } | { "kind": "theme",
/**
 * `system`, `light` or `dark`.
 */
id: string, } | { "kind": "zone", };

/**
 * How the program behaves on the desktop; kept in the person's own log.
 */
export type Habits = {
/**
 * Closing the window keeps receiving; it ends by Quit.
 */
keep_receiving: boolean,
/**
 * Desktop notices call a person.
 */
notices: boolean, };

/**
 * What is looked for.
 */
export type SearchArgs = {
/**
 * As it was typed: words, "phrases", an id, `post:`, `account:`, `name:`, `platform:`.
 */
text: string,
/**
 * `next` of the answer before; none for the first one.
 */
after?: string,
/**
 * Hits wanted of each kind, at most 100.
 */
limit?: number, };

/**
 * What was found so far. The first answers come from the indexes, at once; the later ones from looking through the log,
 * newest first, a bounded part a call. Whoever asks no further has cancelled it.
 */
export type SearchAnswer = {
/**
 * What was found. One thing may come again in a later answer, since more than one row tells of it.
 */
hits: Array<SearchHit>,
/**
 * Give it back as `after` to go on; none at the end.
 */
next: string | null,
/**
 * How far the look has come; none where an index answered.
 */
looked: SearchLooked | null,
/**
 * How far the index of words goes.
 */
index: SearchIndex, };

/**
 * How far a look through the log has come.
 */
export type SearchLooked = {
/**
 * Arrivals and tries looked through.
 */
rows: number,
/**
 * Of how many.
 */
of: number,
/**
 * The moment of the last one; none before the first.
 */
back_to: Stamp | null, };

/**
 * How far the index of words goes.
 */
export type SearchIndex = {
/**
 * Number of the newest arrival in it.
 */
upto: number,
/**
 * Number of the newest arrival of the log.
 */
of: number, };

/**
 * What kind of thing was found.
 */
export type SearchKind = "post" | "message" | "job" | "account" | "name";

/**
 * By what it was found.
 */
export type SearchBy = "id" | "words" | "brought";

/**
 * One thing that was found.
 */
export type SearchHit = {
/**
 * What it is.
 */
kind: SearchKind,
/**
 * Its id or name; the number of an arrival set aside.
 */
id: string,
/**
 * The arrival, for one set aside.
 */
seq: number | null,
/**
 * By what it was found.
 */
by: SearchBy,
/**
 * When it last arrived or was asked for, if that is known.
 */
at: Stamp | null,
/**
 * Name of the message.
 */
name: string | null,
/**
 * Its words around what was looked for; empty if it has none.
 */
text: Array<SearchPiece>, };

/**
 * A piece of a text.
 */
export type SearchPiece = {
/**
 * The piece.
 */
text: string,
/**
 * True if it is what was looked for.
 */
hit: boolean, };

/**
 * A filter of the Events that a person gave a name.
 */
export type SavedFilter = {
/**
 * Stays the same when it is renamed.
 */
id: string,
/**
 * Its name.
 */
name: string,
/**
 * The terms by their names, as they stand in the address of the Events.
 */
terms: Record<string, string>, };

/**
 * The filters of this log, by name.
 */
export type SavedFilters = {
/**
 * The filters.
 */
filters: Array<SavedFilter>, };

/**
 * Keeps a filter, or gives one another name.
 */
export type SaveFilterArgs = {
/**
 * The one to change; none for a new one.
 */
id?: string,
/**
 * Its name.
 */
name: string,
/**
 * Its terms; left out, those it has stay.
 */
terms?: Record<string, string>, };

/**
 * Names one filter.
 */
export type FilterArgs = {
/**
 * Its id.
 */
id: string, };

/**
 * Where a post is live on one account. A host opens it by post and account, never by an address from elsewhere.
 */
export type LinkRow = {
/**
 * Account id.
 */
account: string,
/**
 * Platform name, if it was told.
 */
platform: string | null,
/**
 * http or https, without a user name and without secrets.
 */
url: string, };

/**
 * One workspace.
 */
export type WorkspaceRow = {
/**
 * Number in this log.
 */
id: number,
/**
 * What people call it.
 */
name: string,
/**
 * Base address without `/v1`.
 */
base_url: string,
/**
 * Provider whose settings hold.
 */
provider: string,
/**
 * True for the one in use.
 */
current: boolean,
/**
 * True if an API key is kept.
 */
has_api_key: boolean,
/**
 * True if a webhook secret is kept.
 */
has_webhook_secret: boolean, };

/**
 * Makes or changes a workspace. Secrets only go in: none means keep what is there, empty means forget it.
 */
export type SaveWorkspaceArgs = {
/**
 * The one to change; none makes one.
 */
id?: number,
/**
 * What people call it.
 */
name: string,
/**
 * Base address without `/v1`; https, or http on loopback.
 */
base_url: string,
/**
 * Provider whose settings hold.
 */
provider: string,
/**
 * The API key.
 */
api_key?: string,
/**
 * The webhook secret.
 */
webhook_secret?: string, };

/**
 * Names one workspace.
 */
export type WorkspaceArgs = {
/**
 * Its number in this log.
 */
id: number, };

/**
 * Where the receiver listens on this computer from now on.
 */
export type SaveReceiverArgs = {
/**
 * Port, 1024 to 65535.
 */
port: number, };

/**
 * How a provider signs its messages (T7).
 */
export type SignatureArgs = {
/**
 * Header with the signature.
 */
header: string,
/**
 * How it is written.
 */
encoding: Encoding,
/**
 * Text in front of it, such as `sha256=`; may be empty.
 */
prefix: string,
/**
 * Header that repeats the message's id.
 */
event_id_header: string, };

/**
 * Spelling of a signature's bytes.
 */
export type Encoding = "hex" | "base64";

/**
 * The settings in use, and those that ship with the program.
 */
export type ContractSettings = {
/**
 * The workspace they belong to; none without one, and then they cannot be changed.
 */
workspace: string | null,
/**
 * Provider whose settings hold where nothing was changed.
 */
provider: string,
/**
 * What holds.
 */
signature: SignatureArgs,
/**
 * What ships.
 */
shipped: SignatureArgs, };

/**
 * Changes how signatures are read in the workspace in use.
 */
export type SaveSignatureArgs = {
/**
 * What shall hold; none goes back to what ships.
 */
signature: SignatureArgs | null, };

/**
 * What trying some settings on the last message gave.
 */
export type SignatureTrial = {
/**
 * When that message arrived; none if none ever did.
 */
at: Stamp | null,
/**
 * Its number in this log.
 */
seq: number | null,
/**
 * `fits`, `no_secret`, `no_header`, `not_written`, `other_bytes`, `no_message`, or `no_body` if it aged out.
 */
found: string,
/**
 * Headers of the message that look like signatures.
 */
alike: Array<string>,
/**
 * Settings under which it checks out, where these do not.
 */
suggest: SignatureArgs | null,
/**
 * What the id header says: `same` as the body, `differs`, `missing`.
 */
id_header: string | null, };

/**
 * Messages that are set aside for their signature and can be checked again.
 */
export type SetAside = {
/**
 * How many there are; `most` if there are that many or more.
 */
waiting: number,
/**
 * No more are counted.
 */
most: number, };

/**
 * What checking them again gave.
 */
export type CheckedAgain = {
/**
 * How many were checked.
 */
looked: number,
/**
 * How many of them are valid now and count.
 */
valid: number, };

/**
 * Where the log lies, how large it is and when bodies age out.
 */
export type Storage = {
/**
 * Folder of the log.
 */
dir: string,
/**
 * Size of the log's files, bytes.
 */
log_bytes: number,
/**
 * Part of it that is empty and is used again, bytes.
 */
empty_bytes: number,
/**
 * What bodies take that are older than the set age, or than 30 days, and tell of no open case, bytes.
 */
freeable_bytes: number,
/**
 * True if that is only what the oldest arrivals would free.
 */
freeable_more: boolean,
/**
 * That age, days.
 */
freeable_days: number,
/**
 * Everything else in the folder, bytes.
 */
other_bytes: number,
/**
 * Arrivals in the log.
 */
arrivals: number,
/**
 * Bodies of messages that came here age out by themselves after this many days; none keeps them.
 */
bodies_days: number | null,
/**
 * Bodies leave, oldest first, while the log is larger than this many megabytes; none keeps them.
 */
log_mb: number | null, };

/**
 * When bodies age out by themselves.
 */
export type RetentionArgs = {
/**
 * After this many days, at least 1; none keeps them.
 */
bodies_days: number | null,
/**
 * While the log is larger than this many megabytes, at least 10; none keeps them.
 */
log_mb: number | null, };

/**
 * The zones that posts are planned in.
 */
export type AccountZones = {
/**
 * The zone that the newest post with one names.
 */
usual: string | null,
/**
 * The zone of each account, by the newest post to it that names one.
 */
accounts: Array<AccountZone>, };

/**
 * The zone of one account.
 */
export type AccountZone = {
/**
 * Account id.
 */
account: string,
/**
 * IANA name of the zone.
 */
zone: string, };

/**
 * Told to every screen after something changed; numbered, so that one that missed some pulls anew.
 */
export type Notice = {
/**
 * Counts up by one.
 */
n: number, };

/**
 * An error as the screens get it.
 */
export type Problem = {
/**
 * What the screen can act on.
 */
code: Code,
/**
 * What happened, what it means, what to do.
 */
message: string, };

/**
 * What a caller can do something about. A code exists only because the command line or the screen acts on it.
 */
export type Code = "usage" | "refused" | "not_found" | "busy" | "newer_file" | "storage" | "unreachable" | "internal";

/**
 * Where a job stands.
 */
export type State = "draft" | "waiting" | "sending" | "unknown" | "done" | "refused" | "stopped" | "cancelled";

/**
 * What the attempts add up to.
 */
export type Outcome = "none" | "created" | "replayed" | "unknown" | "refused" | "rejected";

/**
 * What a person should know of a job. A closed list.
 */
export type Warning = "edit_not_applied" | "key_used_for_something_else" | "key_per_try" | "past_key_life" | "near_live_post";

/**
 * Where a job comes from.
 */
export type Origin = "local" | "import";

/**
 * How an attempt ended.
 */
export type EndKind = "answered" | "timeout" | "reset" | "crash" | "not_sent";
