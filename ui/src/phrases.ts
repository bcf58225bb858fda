// Rows of the core in words: what a message says and did, why it came again, how a post stands. Pure; no word here is
// decided by anything but the row. "Failed" only if Pozy said so, unknown is never shown as failed.

import { span } from './state/times'
import type { ArrivalRow, EventRow, JobRow, TestRun, Warning } from './wire/wire'

/** How platforms write themselves; others are shown with a capital. */
const PLATFORMS: Record<string, string> = {
  linkedin: 'LinkedIn',
  tiktok: 'TikTok',
  youtube: 'YouTube',
  x: 'X',
  googlebusiness: 'Google Business',
  whatsapp: 'WhatsApp',
}

/** `LinkedIn` */
export function platformName(platform: string): string {
  return PLATFORMS[platform.toLowerCase()] ?? platform.charAt(0).toUpperCase() + platform.slice(1)
}

/** What a post or target can become, in words. */
const STATUSES: Record<string, string> = {
  published: 'live',
  failed: 'failed',
  partial: 'partly live',
  scheduled: 'planned',
  publishing: 'on its way',
  pending: 'on its way',
  cancelled: 'cancelled',
  connected: 'connected',
  disconnected: 'lost',
}

/** `live`, `partly live`; a status we have no word for as it is */
export function statusWord(status: string): string {
  return STATUSES[status] ?? status
}

/** `Late` for `late` */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const plural = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

/** What an event says, in a few words: `LinkedIn: live`, `Account lost`, `Signature wrong`. */
export function eventTitle(row: EventRow): string {
  if (row.kind === 'quarantined') return row.signature === 'missing' ? 'Signature missing' : 'Signature wrong'
  if (row.kind === 'unreadable') return row.flags.includes('too_large') ? 'Too large' : 'Unreadable'
  if (row.test) return 'Test'
  if (row.flags.includes('unknown_event')) return 'Unknown kind'
  const name = row.name ?? ''
  const status = row.status ?? name.split('.').at(-1) ?? ''
  if (name.startsWith('account.')) return `Account ${statusWord(status)}`
  if (name.startsWith('post.platform.')) return `${platformName(row.platform ?? 'one platform')}: ${statusWord(status)}`
  if (name.startsWith('post.')) return capital(statusWord(status))
  return 'Message'
}

/** What a message is, as the headline of its detail: what is out of the ordinary about it, else what it says. */
export function eventHeadline(row: EventRow): string {
  if (row.kind !== 'event' || row.test || row.order !== 'late') return eventTitle(row)
  return row.arrivals > 1 ? 'Came late and again, harmless' : 'Came late, harmless'
}

/** What an event is about: the post's words, the account, or what is known of an arrival set aside. */
export function eventAbout(row: EventRow): string {
  if (row.kind === 'quarantined') return row.text ? `claims ${row.text}` : 'kept, not believed'
  if (row.kind === 'unreadable') return 'kept as it came'
  if (row.text) return row.text
  if (row.test) return 'Fired as a test'
  const platform = row.platform ? platformName(row.platform) : null
  return [platform, row.account].filter(Boolean).join(', ') || (row.resource ?? '')
}

/** A mark of the effect column, with its tone. */
export interface Effect {
  tone: 'plain' | 'wait'
  icon: 'late' | 'tie' | 'skew' | null
  says: string
}

/** What an event did, or why it did nothing: the effect column. */
export function eventEffect(row: EventRow): Effect {
  const plain = (says: string): Effect => ({ tone: 'plain', icon: null, says })
  if (row.kind !== 'event') return plain('kept aside')
  if (row.test) return plain('never counts')
  if (row.order === 'late' && row.late_by_ms !== null) return { tone: 'wait', icon: 'late', says: `late ${span(row.late_by_ms)}` }
  if (row.order === 'late') return { tone: 'wait', icon: 'late', says: 'late' }
  if (row.order === 'tie') return { tone: 'wait', icon: 'tie', says: 'same instant' }
  if (row.flags.includes('clock_skew')) return { tone: 'wait', icon: 'skew', says: 'clocks differ' }
  if (row.flags.includes('odd_test')) return { tone: 'wait', icon: 'skew', says: 'odd test mark' }
  if (row.applied) return plain('changed a state')
  if (row.stale_lanes.length > 0) return plain('older than known')
  return plain('kept, no effect')
}

/** One sentence on what the event did to what we know; for an arrival that came again, on that arrival. */
export function eventSentence(row: EventRow, again: boolean): string {
  if (row.kind === 'quarantined') return 'Kept aside, changed nothing. Compare the secret with Pozy’s.'
  if (row.kind === 'unreadable') return 'Kept aside as it came. It could not be read, so it changed nothing.'
  if (row.test) return 'A test: it has its own lane and never counts.'
  if (again) return 'The same message once more. This arrival changed nothing.'
  if (row.order === 'late') {
    const harmless = row.applied ? 'It changed its own part only.' : 'We already knew something newer, so it changed nothing.'
    return `Something that happened later reached us first. ${harmless}`
  }
  if (row.order === 'tie') return 'Two messages carry the same time. Ask Pozy which holds.'
  if (row.flags.includes('clock_skew')) return 'It says that it happened after it arrived: the clocks differ. It moved nothing.'
  if (row.flags.includes('odd_test')) return 'Its test mark is neither yes nor absent, so it moves nothing until someone decides.'
  if (row.flags.includes('no_timestamp')) return 'It does not say when it happened, so it could not be put in order.'
  if (row.flags.includes('unknown_event')) return 'A kind of message we do not know. Kept, and nothing was changed by it.'
  if (row.applied) return row.arrivals > 1 ? 'It changed what we know, once.' : 'It changed what we know.'
  if (row.stale_lanes.length > 0) return 'We already knew something newer, so it changed nothing.'
  return 'Kept. It changed nothing.'
}

/** Headlines for why a copy came (design 3.8). */
const CAUSES: Record<string, string> = {
  slow_answer: 'We answered too slowly',
  failed_answer: 'Our answer was a no',
  at_once: 'Sent more than once at a time',
  lost_answer: 'Our answer was probably lost',
  late_retry_or_redelivery: 'Late retry, or sent again by hand: cannot tell',
  redelivered_by_hand: 'Sent again by hand',
}

/** `Our answer was probably lost` */
export function causeHeadline(code: string): string {
  return CAUSES[code] ?? 'Came again'
}

/** What one arrival is. */
export function standingWord(row: ArrivalRow): string {
  switch (row.standing) {
    case 'first':
      return 'first'
    case 'duplicate':
      return 'came again'
    case 'test':
      return row.copy > 1 ? 'test, came again' : 'test'
    case 'quarantined':
      return row.signature === 'missing' ? 'signature missing' : 'signature wrong'
    default:
      return row.standing
  }
}

/** `204 in 31 ms`, as far as it is known */
export function answerWords(row: ArrivalRow): string {
  if (row.answer === null) return row.channel === 'import' ? 'not in the log' : 'not answered'
  return row.took_ms === null ? `${row.answer}` : `${row.answer} in ${span(row.took_ms)}`
}

/** Words for what a check of the signature found. */
export const signatureWords: Record<string, string> = {
  valid: 'valid',
  invalid: 'wrong',
  missing: 'missing',
  unchecked: 'not checked, no secret is set',
}

/** Words for flags that a person should see (contract, Judging). */
export const flagWords: Record<string, string> = {
  id_mismatch: 'The id in the header differs from the one in the body; the body counts.',
  body_differs: 'The body differs from the one that counts. It changed nothing.',
  twin: 'A twin came under another id: the address may be registered twice.',
  clock_skew: 'It happened after it arrived: the clocks differ.',
  unknown_event: 'A kind of message that is not known here.',
  no_timestamp: 'It does not say when it happened.',
  odd_test: 'Its test mark is odd.',
  unreadable: 'It could not be read.',
  too_large: 'Larger than the limit; the body was not kept.',
  no_room: 'What is set aside had taken all its room (64 MiB), so the body was not kept.',
  verified_later: 'It was set aside at first. Its signature checked out after the secret or the settings were mended, so it counts from when it came.',
}

/** State of a job: its word, its mark and tone. `rest` is what follows the word, such as a countdown. */
export interface JobState {
  word: string
  icon: 'live' | 'part' | 'planned' | 'sending' | 'unknown' | 'same' | 'stop' | 'cancelled' | 'waiting'
  tone: 'good' | 'wait' | 'stop' | 'plain'
}

/** The state of a job in a word. Unknown is never shown as failed; "failed" only if Pozy said so. */
export function jobState(row: JobRow): JobState {
  switch (row.state) {
    case 'waiting':
      return { word: 'Waiting', icon: 'waiting', tone: 'wait' }
    case 'sending':
      return { word: 'Sending', icon: 'sending', tone: 'plain' }
    case 'unknown':
      return { word: 'Unknown', icon: 'unknown', tone: 'wait' }
    case 'refused':
      return { word: 'Already there', icon: 'same', tone: 'stop' }
    case 'stopped':
      return { word: 'Stopped, fix it', icon: 'stop', tone: 'stop' }
    case 'cancelled':
      return { word: 'Cancelled', icon: 'cancelled', tone: 'plain' }
    case 'done':
      return doneState(row.post_status)
    default:
      return { word: 'Not sent yet', icon: 'planned', tone: 'plain' }
  }
}

function doneState(status: string | null): JobState {
  switch (status) {
    case 'published':
      return { word: 'Live', icon: 'live', tone: 'good' }
    case 'partial':
      return { word: 'Partly live', icon: 'part', tone: 'wait' }
    case 'failed':
      return { word: 'Failed', icon: 'stop', tone: 'stop' }
    case 'scheduled':
      return { word: 'Planned', icon: 'planned', tone: 'plain' }
    case 'cancelled':
      return { word: 'Cancelled at Pozy', icon: 'cancelled', tone: 'plain' }
    case null:
      return { word: 'Accepted', icon: 'sending', tone: 'plain' }
    default:
      return { word: capital(statusWord(status)), icon: 'sending', tone: 'plain' }
  }
}

/** One sentence on the state of a job, and what follows from it. */
export function jobSentence(row: JobRow): string {
  switch (row.state) {
    case 'waiting':
      return row.tries.at(-1) === 'wait'
        ? 'Pozy asked us to wait; the wait goes on if you close the program.'
        : 'No answer came back. We ask again with the same key; that cannot make a second one.'
    case 'sending':
      return 'It is on its way to Pozy.'
    case 'unknown':
      return row.tries.length > 0
        ? 'We sent it and no answer came back. It may be live, it may not.'
        : 'It is not known whether this was sent.'
    case 'refused':
      return 'The same words are planned, on their way or live. Nothing new was made.'
    case 'stopped':
      return 'Pozy said what to fix; see the last try. Sending it again unchanged will not help.'
    case 'cancelled':
      return 'It was stopped here and will not be sent.'
    case 'done':
      return doneSentence(row)
    default:
      return 'It is stored and has not left this computer.'
  }
}

/** True if several tries were answered as if each had made a post: then nobody can say that there is one. */
export function severalAnswered(row: Pick<JobRow, 'tries'>): boolean {
  return row.tries.filter((mark) => mark === 'answered').length > 1
}

function doneSentence(row: JobRow): string {
  const made = severalAnswered(row)
    ? 'More than one of its tries was answered with a post, so there may be more than one.'
    : row.outcome === 'replayed'
      ? 'The first post came back; there is one post.'
      : 'There is one post.'
  switch (row.post_status) {
    case 'published':
      return `Pozy says that it is live. ${made}`
    case 'partial':
      return 'Live on some accounts, failed on others. ' + made
    case 'failed':
      return 'Pozy says that it failed. Asking again shows it, and publishes nothing.'
    case 'scheduled':
      return `Pozy has planned it. ${made}`
    default:
      return made
  }
}

/** Short tags for warnings on a job (contract, Jobs), and the sentence behind each. */
export const warningWords: Record<Warning, { tag: string; says: string }> = {
  edit_not_applied: {
    tag: 'Edit not applied',
    says: 'This key had already made a post; the live words are the old ones.',
  },
  key_used_for_something_else: {
    tag: 'Other post came back',
    says: 'This key had already made another post. What you asked for never went out.',
  },
  key_per_try: { tag: 'A new key for every try', says: 'Pozy could not see that the tries were the same.' },
  near_live_post: {
    tag: 'Live twice?',
    says: 'It was sent although nearly the same words were live on that account.',
  },
  past_key_life: { tag: 'By hand only', says: 'The next try would come after the safe part of its key’s life, so only a person asks.' },
}

/** What a mark in the row of tries means. */
export const tryWords: Record<string, string> = {
  sending: 'under way',
  answered: 'answered',
  replayed: 'the first post came back',
  lost: 'no answer',
  wait: 'told to wait',
  refused: 'already there, or to be fixed',
  not_sent: 'never left this computer',
}

/** `2 tries: no answer, answered` */
export function triesSentence(tries: readonly string[]): string {
  if (tries.length === 0) return 'no tries yet'
  return `${plural(tries.length, 'try', 'tries')}: ${tries.map((t) => tryWords[t] ?? t).join(', ')}`
}

/** Confidence in words. */
export const confidenceWords: Record<string, string> = { high: 'High', medium: 'Medium', low: 'Low' }

/** Headline of a test that was fired. */
export function testHeadline(run: TestRun): string {
  if (run.arrival && run.round_trip_ms !== null) return `Round trip in ${run.round_trip_ms < 1 ? 'under 1 ms' : span(run.round_trip_ms)}`
  if (run.arrival) return 'It arrived'
  return run.status === null ? 'No answer came back' : 'It did not arrive here'
}

/** What a test that was fired shows. */
export function testSentence(run: TestRun): string {
  if (run.problem) return run.problem
  if (!run.arrival) return 'Pozy answered, and no test reached this computer in time.'
  const signature =
    run.arrival.signature === 'valid'
      ? 'its signature is valid'
      : run.arrival.signature === 'unchecked'
        ? 'its signature was not checked, since no secret is set'
        : `its signature is ${signatureWords[run.arrival.signature] ?? run.arrival.signature}`
  return `Pozy took the test, it arrived here, and ${signature}.`
}
