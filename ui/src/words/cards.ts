// The words of the cards on a post: what an act would do, before the click. A headline says what would be so, one
// sentence why; both follow from the forecast alone. Pure.

import type { Clockface } from '../state/times'
import type { BesideRow, Effect, ForecastRow, JobRow, Reason, Risk } from '../wire/wire'

/** Fixed words of the cards. */
export const cards = {
  title: 'What would happen now',
  workedOut: (time: string) => `Worked out at ${time}, nothing sent yet`,
  working: 'Working it out …',
  ask: { name: 'Ask again', says: 'Same key, same words', accept: 'Ask again, I accept', anyway: 'Ask again all the same', under: 'Asking …' },
  again: {
    name: 'Post again',
    says: 'New key, new post',
    open: 'Post again …',
    accept: 'Post again, I accept',
    under: 'Posting …',
    already: 'It was posted again already. Go on from there.',
    openNew: 'Open the new post',
    form: 'Post again, before anything leaves',
    pickTime: 'Pick the time in a new post',
  },
  key: '⏎',
  tie: {
    name: 'This is the same Pozy workspace',
    says: (name: string) => `Its file calls the workspace ${name}. If that is the one in use here, its keys count here and it can be asked. If it is another one, a second post may come of it.`,
    sure: 'It is the same one',
  },
  expects: (statuses: readonly number[]) => `expects ${orList(statuses.map(String))}`,
  anyway: 'Do it anyway …',
  close: 'Leave it',
  reason: 'Why a second post is wanted',
  reasonAsk: 'Why it is asked all the same',
  reasonAgain: 'Why it is posted again',
  reasonKept: 'The reason stays with the post.',
  accounts: 'Accounts',
  failedOnly: 'Only those where it failed are chosen; it is live on the others.',
  noAccount: 'Choose an account.',
  words: 'Words',
  noWords: 'Write some words.',
  changed: (n: number) => (n === 1 ? 'One character differs from what is there' : `${n} characters differ from what is there`),
  same: 'The same words as what is there',
  beside: { sent: 'This', live: 'Live', there: 'There', open: 'Open' },
  sent: 'This would say',
  lives: (since: string) => `Live since ${since}`,
  stands: 'Already there',
  mayStand: 'May come of a try',
  see: 'See that post',
  fetchFirst: 'Ask Pozy first',
  wordGone: 'removed',
  wordNew: 'added',
  settings: 'Open Settings',
} as const

/** `200 or 201`, `201, 403 or 404` */
function orList(parts: readonly string[]): string {
  if (parts.length < 2) return parts.join('')
  return `${parts.slice(0, -1).join(', ')} or ${parts.at(-1) ?? ''}`
}

/** How a card looks: its mark and tone. */
export type Tone = 'good' | 'wait' | 'stop' | 'plain'

/** What a forecast says in a few words; `from` is the reason whose sentence it took, so that it is not said twice. */
export interface Told {
  headline: string
  says: string
  from: Reason | null
}

/** A badge: one word on what a click needs. */
export interface Badge {
  word: string
  tone: Tone
  icon: string
}

/** True if Pozy refuses it, so that nothing is made. */
export function isRefused(effect: Effect): boolean {
  return effect === 'refused_same_content' || effect === 'refused_key_reuse'
}

/** What a click needs. A refusal by Pozy makes nothing, whatever was clicked. */
export function badgeOf(row: { effect: Effect; risk: Risk }): Badge {
  if (isRefused(row.effect)) return { word: 'Nothing happens', tone: 'plain', icon: 'note' }
  if (row.risk === 'safe') return { word: 'Safe', tone: 'good', icon: 'safe' }
  if (row.risk === 'confirm') return { word: 'Needs your word', tone: 'wait', icon: 'skew' }
  return { word: 'Blocked', tone: 'stop', icon: 'block' }
}

/** The mark of a card's head, and its tone. */
export function markOf(row: { effect: Effect; risk: Risk }): { icon: string; tone: Tone } {
  if (isRefused(row.effect)) return { icon: 'same', tone: 'plain' }
  if (row.effect === 'cannot_tell' && row.risk === 'blocked') return { icon: 'skew', tone: 'stop' }
  return badgeOf(row)
}

/** The headline and the sentence of a forecast (looks.md, Words). */
export function told(row: ForecastRow): Told {
  const has = (code: Reason): boolean => row.because.some((because) => because.code === code)
  const by = (headline: string, ...codes: Reason[]): Told => {
    const found = row.because.find((because) => codes.includes(because.code)) ?? row.because[0]
    return { headline, says: found?.text ?? '', from: found?.code ?? null }
  }
  const fixed = (headline: string, says: string, from: Reason | null = null): Told => ({ headline, says, from })
  // What only a person can decide comes before what would be made.
  if (has('time_twice') || has('time_missing')) return by('Which time is meant', 'time_twice', 'time_missing')
  if (has('time_unreadable')) return by('That time cannot be read', 'time_unreadable')
  switch (row.effect) {
    case 'returns_existing':
      if (has('key_for_other_words')) return by('Another post comes back', 'key_for_other_words')
      if (has('first_not_live')) return fixed('The first post comes back', 'It is not live. Ask again shows it, nothing is published.', 'first_not_live')
      if (has('partial')) return fixed('The first post comes back', 'It is partly live. Ask again shows it, nothing is published.', 'partial')
      return fixed('The first post comes back', 'Ask again shows it, nothing new is made.')
    case 'creates_first':
      if (has('draft')) return by('Kept as a draft', 'draft')
      if (has('account_disconnected')) return by('An account is disconnected', 'account_disconnected')
      return fixed('One post comes of it', 'Nothing of it is there yet.', 'nothing_there')
    case 'creates_again':
      return fixed('A new post, not a second', 'Nothing of it is live there, so only this one will be.', 'first_not_live')
    case 'creates_second':
      if (has('near_content')) return by('Would slip past the check', 'near_content')
      if (has('check_over')) return fixed('Would make a second live post', 'Its key is gone, it is live, and the content check is over.')
      return by('Would make a second live post', 'first_live')
    case 'refused_same_content':
      return by('Already there', 'same_content_there')
    case 'refused_key_reuse':
      return by('The key belongs to another call', 'key_for_other_words')
    case 'in_progress':
      return fixed('Pozy is still working on it', 'The first try is under way. Asking now changes nothing.')
    case 'cannot_tell':
      return cannotTell(row, has, by, fixed)
  }
}

function cannotTell(
  row: ForecastRow,
  has: (code: Reason) => boolean,
  by: (headline: string, ...codes: Reason[]) => Told,
  fixed: (headline: string, says: string, from?: Reason) => Told,
): Told {
  if (has('other_workspace')) return by('Cannot tell', 'other_workspace')
  if (has('seen_not_there')) return by('Nobody saw it there', 'seen_not_there')
  if (has('not_seen_on_account')) return by('Cannot tell', 'not_seen_on_account')
  if (has('key_near_end')) return by('Too close to call', 'key_near_end')
  if (has('check_near_end')) return by('Too close to call', 'check_near_end')
  if (has('answered_no')) return by('Most likely the same answer', 'answered_no')
  if (row.risk === 'safe' && row.action === 'ask_again')
    return fixed('One post either way', 'Ask again finds the first post, or makes it now.', 'unknown_outcome')
  if (has('unknown_outcome') && row.action === 'post_again')
    return fixed('Cannot tell', 'If the first try is still running, both may go live.', 'unknown_outcome')
  return by('Cannot tell', 'partial', 'stale_state', 'unknown_outcome', 'key_age_unknown')
}

/** The reasons under the sentence: all of them but the one it took. */
export function reasonsOf(row: ForecastRow, of: Told): string[] {
  return row.because.filter((because) => because.code !== of.from).map((because) => because.text)
}

/** `2026-03-02 09:00 UTC` in a sentence of the core as the zone of the screen writes it. */
export function inZone(text: string, face: Clockface, now: number): string {
  return text.replaceAll(/(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) UTC/g, (whole, date: string, time: string) => {
    const ms = Date.parse(`${date}T${time}:00Z`)
    if (Number.isNaN(ms)) return whole
    const day = face.date(ms) === face.date(now) ? '' : `${face.day(ms)} `
    return `${day}${face.short(ms)} ${face.name(ms)}`
  })
}

/** The sentence without the ids, in brackets, of what stands beside it with a way to it. */
export function withoutIds(text: string, beside: readonly Pick<BesideRow, 'post' | 'job'>[]): string {
  const ids = beside.flatMap((one) => [one.post, one.job]).filter((id) => id !== null)
  return ids.reduce((left, id) => left.replaceAll(` (${id})`, ''), text)
}

/** Why Ask again is not offered, or null if it is. Once the key is gone asking would make a new post (R12, T5). */
export function askNotOffered(row: JobRow): string | null {
  return row.ask_again.offered ? null : row.ask_again.why
}
