// The words of what came of a try, read aloud: one card for each kind of answer. "Failed" only if Pozy said so; codes
// stand small at the end. Pure.

import { capital, jobSentence, jobState, severalAnswered, statusWord } from '../phrases'
import type { Clockface } from '../state/times'
import type { AnswerCard, AnswerKind, Drift, FetchReport, JobRow, NoteRow, PostNow } from '../wire/wire'
import { inZone, type Tone } from './cards'

/** Fixed words of the answer cards, the post as Pozy has it, and the history. */
export const answers = {
  title: 'What came of it',
  sent: 'You sent',
  now: 'Live now',
  gaveBack: 'Given back',
  there: 'Already there',
  open: 'Open that post',
  edit: 'Edit as a new post',
  openFirst: 'Open the first use',
  settings: 'Open Settings',
  toMend: 'To fix',
  nextTry: (time: string) => `next try ${time}`,
  heldTry: (time: string) => `Pozy asked everybody to wait, next try ${time}`,
  code: (status: number | null, kind: AnswerKind) => [status, CODES[kind]].filter((part) => part !== null).join(', '),
  post: {
    title: 'The post at Pozy',
    state: 'State',
    words: 'Words',
    planned: 'Planned for',
    accounts: 'Accounts',
    confirmed: (time: string) => `confirmed by Pozy at ${time}`,
    told: (time: string) => `told by a message of ${time}`,
    never: 'never confirmed',
    unknown: 'cannot tell',
    published: (time: string) => `live since ${time}`,
    drift: (drift: Drift, face: Clockface, now: number) =>
      `Messages said ${statusWord(drift.told)} (${face.full(drift.told_at.ms, now)}); Pozy says ${statusWord(drift.seen)} (${face.full(drift.seen_at.ms, now)}). Pozy counts.`,
    wants: 'Only Pozy can say how it stands now.',
    fetch: 'Ask Pozy what it has',
    fetching: 'Asking Pozy …',
    wait: (time: string) => `Pozy asked to be left alone until ${time}. Nothing was told.`,
    close: 'Close',
    job: 'Open what was asked for',
  },
  history: 'History',
  noHistory: 'Nothing was noted yet.',
  again: { of: 'It posts again what was asked for as', because: 'because', open: 'Open it' },
} as const

const CODES: Record<AnswerKind, string | null> = {
  under_way: null,
  created: 'new post',
  replayed: 'given back',
  replayed_other: 'given back',
  saving: 'being saved',
  in_progress: 'under way',
  same_content: 'same content',
  rate_limited: 'slow down',
  busy: null,
  lost: null,
  not_sent: null,
  refused: null,
  key_elsewhere: 'key in use',
  redirected: 'leads elsewhere',
}

/** What an answer says. */
export interface Said {
  headline: string
  says: string
  icon: string
  tone: Tone
  badge: string
}

/** The card of a job's latest answer. */
export function said(card: AnswerCard, row: JobRow): Said {
  const state = jobState(row)
  const of = (headline: string, says: string, icon: string = state.icon, tone: Tone = state.tone, badge = state.word): Said => ({
    headline,
    says,
    icon,
    tone,
    badge,
  })
  // A wait that a person ended, or that ran out, is no wait any more.
  const waits = row.state === 'waiting' ? ' We ask again by ourselves, with the same key: that cannot make a second one.' : ''
  switch (card.kind) {
    case 'under_way':
      return of('On its way to Pozy', 'It left, and no answer came yet.')
    case 'created':
      if (severalAnswered(row)) return of('There may be more than one', jobSentence(row), 'skew', 'wait', 'Check')
      return card.n > 1 ? of(`Made on try ${card.n}`, `The tries before it made nothing. ${jobSentence(row)}`) : of('Pozy made the post', jobSentence(row))
    case 'replayed':
      return row.created_by_attempt !== null && row.created_by_attempt < card.n
        ? of(`Made on try ${row.created_by_attempt}`, `Try ${card.n} brought it back. ${jobSentence(row)}`)
        : of('The first post came back', jobSentence(row))
    case 'replayed_other':
      return row.warnings.includes('key_used_for_something_else')
        ? of('Another post came back', 'This key had already made another post. What you asked for never went out.', 'skew', 'wait', 'Check')
        : of('Your edit was not applied', 'This key had already made a post. Pozy gave that one back; the live words are the old ones.', 'skew', 'wait', 'Check')
    case 'saving':
      return of('Pozy is still saving it', `It has taken the post and says more later.${waits}`)
    case 'in_progress':
      return of('Pozy is still working on it', waits === '' ? 'The first try was under way when we asked.' : 'The first try is under way. Pozy asks us to wait; the wait goes on if you close the program.')
    case 'same_content':
      return of('The same post is already there', 'It is planned, on its way or live. Nothing new was made, and nothing needs sending.')
    case 'rate_limited':
      return of('Pozy asked us to slow down', `Too many calls came in a short time. Nothing is lost.${waits}`)
    case 'busy':
      return of('Pozy was too busy', `It may have made the post or not.${waits}`)
    case 'lost':
      return of('No answer came back', `The post may be live.${waits}`)
    case 'not_sent':
      return of('Nothing left this computer', `Pozy could not be reached, so nothing was made.${waits}`)
    case 'refused':
      return of('Stopped: something to fix', `${sentence(card.mend) ?? 'Pozy said no and did not say why.'} Sending it again unchanged will not help.`)
    case 'key_elsewhere':
      return of('This key belongs to another call', 'Pozy knows it from another call, so nothing was made.')
    case 'redirected':
      return of('The address leads elsewhere', `${card.leads_to === null ? 'Pozy' : `It leads to ${card.leads_to}, which`} was not followed: nothing was sent on. Check the address in Settings.`)
  }
}

/** What Pozy said, as a sentence. */
function sentence(text: string | null): string | null {
  if (text === null || text.trim() === '') return null
  const trimmed = text.trim()
  return `Pozy says: ${trimmed}${/[.!?]$/.test(trimmed) ? '' : '.'}`
}

/** `Live, confirmed by Pozy at 09:00:31 CET` */
export function postStands(post: Pick<PostNow, 'status' | 'as_of' | 'confirmed'>, face: Clockface, now: number): string {
  const state = post.status === null ? answers.post.unknown : statusWord(post.status)
  const how = post.confirmed
    ? answers.post.confirmed(face.full(post.confirmed.ms, now))
    : post.as_of
      ? answers.post.told(face.full(post.as_of.ms, now))
      : answers.post.never
  return `${capital(state)}, ${how}`
}

/** What came of asking Pozy, with its times in the zone of the screen. */
export function reportSays(report: FetchReport, face: Clockface, now: number): string {
  if (report.result === 'wait' && report.wait_until) return answers.post.wait(face.full(report.wait_until.ms, now))
  return inZone(report.says, face, now)
}

/** What somebody saw or decided, as a line of the history. */
export function noteSays(note: NoteRow): string {
  const words = note.text.trim()
  const rest = words === '' ? '' : `: ${words}`
  switch (note.action) {
    case 'settled':
      if (note.there === false) return `Looked: it is not there${rest}`
      return `Looked: it is there${note.post === null ? '' : `, as ${note.post}`}${rest}`
    case 'seen_twice':
      return `Looked: it is there twice${rest}`
    case 'not_seen':
      return `Looked: not seen on the account${rest}`
    case 'post_again':
      return `Posted again${rest}`
    case 'cancelled':
      return 'Stopped'
    default:
      return words
  }
}
