// The words of posts from a file. Pure.

import type { ForecastRow, ManyRow, RowState } from '../wire/wire'
import { isRefused, told, type Tone } from './cards'

/** Fixed words of the screen. */
export const many = {
  open: 'From a file …',
  title: 'Posts from a file',
  says: 'A table (CSV) or JSON Lines. Looking sends nothing.',
  choose: 'File of posts',
  columns: 'The first row names the columns: text, accounts (linkedin:ac_7 instagram:ac_9), media, scheduledFor, timezone, key. Without a time a post goes out at once.',
  looking: 'Looking at each row …',
  unknown: (names: string) => `Columns that are not known and left aside: ${names}.`,
  table: 'What each row would do',
  tableSent: 'What became of each row',
  head: { line: 'Line', post: 'Post', what: 'What would happen' },
  atOnce: 'at once',
  also: (count: number, headline: string) => `Send ${posts(count)} also: ${headline.toLowerCase()}`,
  send: (count: number) => (count === 0 ? 'Nothing to send' : `Send ${posts(count)}`),
  sending: (done: number, all: number) => `Sending ${done + 1} of ${all} …`,
  stop: 'Stop after this one',
  stopped: 'Stopped. Choose the file again to go on: what was sent is known.',
  close: 'Close',
  waits: (time: string) => `Pozy asked everybody to wait. The next one goes at ${time}.`,
  blocked: 'What could make a second live post stays out. Send such a post by itself, with its reason.',
  again: 'Sending the same file again sends nothing twice: each row keeps its key.',
  unreadable: 'This file cannot be read here.',
} as const

function posts(count: number): string {
  return count === 1 ? 'one post' : `${count} posts`
}

/** When a row goes out, as its file says it: local to its zone, or with an offset of its own. */
export function when(row: ManyRow): string {
  if (row.scheduled_for === null) return many.atOnce
  return [row.scheduled_for.replace('T', ' '), row.timezone].filter((part) => part !== null).join(' ')
}

/** How many rows stand where, in words. */
export function summary(rows: readonly ManyRow[]): string {
  const count = (...states: RowState[]): number => rows.filter((row) => states.includes(row.state)).length
  const parts: [number, string][] = [
    [count('ready'), 'would go out'],
    [count('left_out'), 'left out'],
    [count('wrong'), 'not readable'],
    [count('done'), 'sent'],
    [count('waiting', 'sending', 'draft'), 'under way'],
    [count('unknown'), 'unknown'],
    [count('refused', 'stopped', 'cancelled'), 'not taken'],
  ]
  const said = parts.filter(([n]) => n > 0).map(([n, what]) => `${n} ${what}`)
  return `${posts(rows.length)}: ${said.join(', ')}.`
}

/** What a row would do, or where its post stands. */
export interface Stands {
  headline: string
  says: string
  tone: Tone
  icon: string
}

/** The row as it stands; a headline of a few words, and why. */
export function stands(row: ManyRow): Stands {
  switch (row.state) {
    case 'ready':
    case 'left_out': {
      const of = forecastOf(row)
      if (!of) return { headline: 'Left out', says: row.why ?? '', tone: 'wait', icon: 'skew' }
      const { headline, says } = told(of)
      if (row.state === 'ready') return { headline, says, tone: 'good', icon: 'safe' }
      if (row.effect !== null && isRefused(row.effect)) return { headline, says, tone: 'plain', icon: 'same' }
      return { headline, says: row.why ?? says, tone: row.risk === 'blocked' ? 'stop' : 'wait', icon: row.risk === 'blocked' ? 'block' : 'skew' }
    }
    case 'wrong':
      return { headline: 'Not readable', says: row.why ?? '', tone: 'stop', icon: 'cancelled' }
    case 'done':
      return { headline: 'Sent', says: 'Pozy has it.', tone: 'good', icon: 'safe' }
    case 'draft':
      return { headline: 'Stored, not sent', says: 'Its key is kept. Sending goes on with it.', tone: 'wait', icon: 'note' }
    case 'waiting':
      return { headline: 'Waiting', says: 'It is asked again by itself, with its own key.', tone: 'wait', icon: 'note' }
    case 'sending':
      return { headline: 'Being sent', says: '', tone: 'plain', icon: 'note' }
    case 'unknown':
      return { headline: 'Unknown', says: 'We sent it and no answer came back. It may be live, it may not.', tone: 'wait', icon: 'skew' }
    case 'refused':
      return { headline: 'Already there', says: 'Nothing new was made.', tone: 'plain', icon: 'same' }
    case 'stopped':
      return { headline: 'Stopped, fix it', says: 'Pozy did not take it. Open the post to see why.', tone: 'stop', icon: 'block' }
    case 'cancelled':
      return { headline: 'Cancelled', says: 'Somebody stopped it.', tone: 'plain', icon: 'cancelled' }
  }
}

/** The forecast of a row in the form that the cards know; null if it has none. */
export function forecastOf(row: ManyRow): ForecastRow | null {
  if (row.effect === null || row.risk === null) return null
  const { effect, risk, because, suggest, accounts } = row
  return { id: '', action: 'submit', effect, expects: [], risk, because, suggest, accounts, beside: [], at: { ms: 0, text: '' }, time_trap: null }
}
