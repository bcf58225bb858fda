// Rows as the core gives them, for tests of the screens: ordinary ones, with what a test is about changed.

import type { AnswerCard, ArrivalRow, Chain, ContractSettings, EventRow, ForecastRow, JobDetail, JobFacts, JobRow, PostNow, Stamp, Status, Storage } from '../wire/wire'

/** The instant all of these rows are near: Fri 6 Nov 2026, 09:00:40 in Paris. */
export const NOW = Date.parse('2026-11-06T08:00:40Z')

/** A stamp some seconds before {@link NOW}. */
export function before(seconds: number): Stamp {
  const ms = NOW - seconds * 1000
  return { ms, text: new Date(ms).toISOString() }
}

/** A message that LinkedIn is live. */
export function eventRow(change: Partial<EventRow> = {}): EventRow {
  return {
    id: 'event ev_1',
    event: 'ev_1',
    seq: null,
    kind: 'event',
    name: 'post.platform.published',
    status: 'published',
    platform: 'linkedin',
    account: 'ac_li_04',
    text: 'Doors open at 9.',
    happened: before(12),
    first_arrived: before(10),
    last_arrived: before(10),
    arrivals: 1,
    applied: true,
    test: false,
    resource: 'post:po_9b10',
    order: 'in_order',
    late_by_ms: null,
    overtaken_by: null,
    stale_lanes: [],
    flags: [],
    cause: null,
    signature: 'valid',
    confirmed: null,
    ...change,
  }
}

/** A first arrival, answered in time. */
export function arrivalRow(change: Partial<ArrivalRow> = {}): ArrivalRow {
  return {
    seq: 1,
    arrived: before(10),
    event: 'ev_1',
    copy: 1,
    standing: 'first',
    cause: null,
    signature: 'valid',
    took_ms: 31,
    answer: 204,
    channel: 'live',
    flags: [],
    ...change,
  }
}

/** A job whose answer was lost four and a half hours ago. */
export function jobRow(change: Partial<JobRow> = {}): JobRow {
  const since = before(4.5 * 3600)
  const later = (hours: number): Stamp => before(4.5 * 3600 - hours * 3600)
  return {
    job: 'job_31',
    group: 'needs_you',
    created: since,
    path: 'POST /v1/posts',
    origin: 'local',
    workspace: 'Harbour Events',
    key: '0b6f1c2e-7a43-4c53-9a53-0d1f5e6a7d91',
    state: 'unknown',
    outcome: 'unknown',
    created_by_attempt: null,
    post: null,
    post_status: null,
    post_confirmed: null,
    post_drift: null,
    settled: null,
    answer: 'lost',
    key_phase: 'safe',
    next: null,
    held: false,
    waits_for_person: null,
    key_since: since,
    safe_until: later(20),
    key_expires: later(24),
    warnings: [],
    text: 'Market day: forty stalls, one street',
    targets: [
      { platform: 'linkedin', account: 'ac_li_04' },
      { platform: 'instagram', account: 'ac_ig_02' },
    ],
    scheduled_for: null,
    timezone: null,
    tries: ['lost', 'lost'],
    ask_again: { offered: true, why: 'One post either way. Pozy finds the first or makes it now.' },
    post_again: { offered: true, why: 'A new key and a new post.' },
    can_cancel: false,
    may_tie: false,
    ...change,
  }
}

/** The detail of a job that has no tries to show. */
export function jobDetail(row: JobRow, change: Partial<JobDetail> = {}): JobDetail {
  return { row, attempts: [], body: null, text: row.text, again_of: null, again_reason: null, posted_again: null, notes: [], facts: jobFacts(), ...change }
}

/** What the cards of a job show while nothing is known. */
export function jobFacts(change: Partial<JobFacts> = {}): JobFacts {
  return { answer: null, key: null, skew: null, post: null, failed_targets: [], connection_waits: null, ...change }
}

/** A latest try without an answer. */
export function answerCard(change: Partial<AnswerCard> = {}): AnswerCard {
  return {
    kind: 'lost',
    n: 2,
    at: before(60),
    status: null,
    post: null,
    until: null,
    sent_text: null,
    their_text: null,
    mend: null,
    mend_field: null,
    mend_code: null,
    first_call: null,
    leads_to: null,
    ...change,
  }
}

/** A post that Pozy said is live. */
export function postNow(change: Partial<PostNow> = {}): PostNow {
  return {
    post: 'po_9b10',
    status: 'published',
    as_of: before(3600),
    confirmed: before(60),
    drift: null,
    wants_fetch: false,
    text: 'Doors open at 9.',
    scheduled: null,
    targets: [],
    ...change,
  }
}

/** A forecast that asking again leaves one post, whatever happens. */
export function forecastRow(change: Partial<ForecastRow> = {}): ForecastRow {
  return {
    id: 'forecast_1',
    action: 'ask_again',
    effect: 'cannot_tell',
    expects: [200, 201],
    risk: 'safe',
    because: [
      { code: 'unknown_outcome', text: 'A try got no answer.' },
      { code: 'key_alive', text: 'Pozy surely remembers the key until 2026-11-07 03:15 UTC and gives its post back.' },
    ],
    suggest: null,
    accounts: ['ac_li_04', 'ac_ig_02'],
    beside: [],
    time_trap: null,
    at: before(0),
    ...change,
  }
}

/** A program that listens, in a workspace, in Paris. */
export function statusOf(change: Partial<Status> = {}): Status {
  return {
    version: '0.1.0',
    data_dir: '/home/ada/.local/share/reprise',
    now: before(0),
    zone: 'Europe/Paris',
    notice: 1,
    practice: null,
    case: null,
    receiver: {
      listening: true,
      url: 'http://127.0.0.1:8787/hooks/main',
      problem: null,
      elsewhere: false,
      last_arrival: before(9),
      verifies: true,
    },
    workspace: {
      id: 1,
      name: 'Harbour Events',
      base_url: 'https://api.pozy.ai',
      provider: 'pozy',
      current: true,
      has_api_key: true,
      has_webhook_secret: true,
    },
    needs_person: 0,
    problems: [],
    held: null,
    judged_anew: null,
    ...change,
  }
}

/** Settings of signatures as they ship. */
export function contractSettings(change: Partial<ContractSettings> = {}): ContractSettings {
  const signature = { header: 'X-Pozy-Signature', encoding: 'hex', prefix: 'sha256=', event_id_header: 'X-Pozy-Event-Id' } as const
  return { workspace: null, provider: 'pozy', signature, shipped: signature, ...change }
}

/** A small log that keeps everything. */
export function storage(change: Partial<Storage> = {}): Storage {
  return { dir: '/home/me/log', log_bytes: 1_200_000, empty_bytes: 0, freeable_bytes: 0, freeable_more: false, freeable_days: 30, other_bytes: 4096, arrivals: 12, bodies_days: null, log_mb: null, ...change }
}

/** A message to which nothing else belongs. */
export const noChain: Chain = { keys: [], jobs: [], tries: [], posts: [], messages: [], arrivals: [], more: false }
