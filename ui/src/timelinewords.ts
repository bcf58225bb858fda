// Words of the Timeline: on the picture, in its list twin and in the sentence that is spoken for a mark. One mark has the same
// words in all three.

import { capital, platformName, statusWord } from './phrases'
import { type Clockface, span } from './state/times'
import type { TimelineEvent, TimelineLane, TimelineMark } from './wire/wire'

const plural = (n: number, one: string, many: string): string => `${n} ${n === 1 ? one : many}`

/** Fixed words of the Timeline. */
export const timeline = {
  title: 'Timeline',
  picture: 'Picture',
  list: 'List',
  shown: 'Show as',
  follow: 'Follow',
  following: 'The picture follows the present',
  paused: 'Paused because you look back',
  fresh: (n: number) => `${n >= 100 ? '100 or more' : n} new`,
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  fit: 'Show everything',
  jump: { again: 'Came again', late: 'Late', tie: 'Same instant' },
  jumpSays: (what: string, n: number) => `${what}: ${n} in sight, go to the next`,
  zone: (name: string) => `Times in ${name}`,
  empty: 'Nothing here yet.',
  emptyWhy: 'When Pozy sends a message or you send a post, it is drawn here within a moment.',
  quiet: 'Nothing in this stretch of time.',
  quietWhy: 'Go back with the map below, or show everything.',
  more: 'Show more posts',
  now: 'now',
  happened: 'happened',
  arrived: 'arrived',
  older: 'older than known: not applied',
  tie: 'same instant',
  late: (ms: number) => `late by ${span(ms)}`,
  times: (n: number) => `×${n}`,
  gone: 'gone',
  notListening: 'Not listening',
  key: (byItself: string, ends: string) => `Key alive: by itself until ${byItself}, by hand until ${ends}`,
  keyPlain: (ends: string) => `Key alive until ${ends}`,
  keyEnds: 'The key ends',
  confirmed: 'Confirmed by Pozy',
  differs: 'Pozy says otherwise',
  many: (n: number) => plural(n, 'message', 'messages'),
  density: 'All messages',
  shares: { again: 'Came again', late: 'Late', failed: 'Failed' },
  try: (n: number, mark: string) => `Try ${n}, ${mark}`,
  until: (time: string) => `until ${time}`,
  from: 'From',
  to: 'To',
  region: 'Timeline picture',
  role: 'timeline',
  help: 'Left and right: marks by time. Up and down: lanes. Alt with left or right: the other end. Enter: detail. L: list.',
  map: 'The whole log, arrivals over time',
  mapHelp: 'Arrows move the part that is shown.',
  detail: 'Selected mark',
  pick: 'Choose a mark to see what it is, why it came and what belongs to it.',
  legend: 'Marks',
  allMarks: 'All marks',
  inMap: 'The map below shows all arrivals.',
  lanes: {
    post: 'A post',
    tests: 'Tests',
    testsSay: 'never count',
    set_aside: 'Set aside',
    set_asideSay: 'move nothing',
    here: 'Sent from here',
    import: 'Sent, imported',
    tries: (n: number) => plural(n, 'try', 'tries'),
    underWay: 'Being sorted',
    leftOut: (n: number) => `${n} not drawn`,
    leftOutSay: (n: number) => `${plural(n, 'message', 'messages')} of this lane happened in this time and arrived outside it, and ${n === 1 ? 'is' : 'are'} not drawn for lack of room. Zoom in to see ${n === 1 ? 'it' : 'them'}.`,
    unclear: 'Unclear',
    account: (platform: string) => `${platform} account`,
  },
  twin: {
    caption: (from: string, to: string, leftOut = 0) =>
      `Marks from ${from} to ${to}${leftOut === 0 ? '' : `, without ${plural(leftOut, 'message', 'messages')} that happened in this time and arrived outside it`}`,
    zone: (name: string) => `times in ${name}`,
    columns: ['Time', 'Lane', 'What', 'Happened', 'Arrived', 'Why'] as const,
    more: (n: number) => `Show ${n} more`,
    none: 'No marks in this stretch of time.',
  },
} as const

/** Which of many messages are out of the ordinary: `31 came again, 12 late, 2 failed`. */
export function shareWords(of: { again: number; late: number; failed?: number }): string {
  const says = [of.again > 0 ? `${of.again} came again` : '', of.late > 0 ? `${of.late} late` : '', of.failed ? `${of.failed} failed` : '']
  return says.filter((one) => one !== '').join(', ')
}

/** `412 messages in 4 min, 31 came again, 12 late`, with the time they began at if that is asked for. */
export function densityWords(of: { count: number; again: number; late: number }, length: number, from?: string): string {
  const when = from === undefined ? '' : ` from ${from}`
  return [`${timeline.many(of.count)} in ${span(length)}${when}`, shareWords(of)].filter((one) => one !== '').join(', ')
}

/** One line of the legend: a shape and its word. */
export const LEGEND: readonly (readonly [string, string])[] = [
  ['happened', 'happened'],
  ['news', 'arrived'],
  ['live', 'live'],
  ['partly', 'partly live'],
  ['failed', 'failed'],
  ['again', 'came again'],
  ['older', 'older, ignored'],
  ['seen', 'confirmed by Pozy'],
  ['differs', 'Pozy says otherwise'],
  ['answered', 'answered'],
  ['replayed', 'the first post came back'],
  ['lost', 'no answer'],
  ['wait', 'told to wait'],
  ['refused', 'already there, or fix it'],
  ['sending', 'under way'],
  ['not_sent', 'not sent'],
  ['test', 'test'],
  ['aside', 'signature wrong'],
  ['sheet', 'unreadable'],
  ['crowd', 'many messages, counted'],
  ['crowd_again', 'of them, came again'],
  ['crowd_late', 'of them, late'],
  ['crowd_failed', 'of them, failed'],
]

/** `Doors open at 9.`, `LinkedIn`, `Sent from here`, `Tests` */
export function laneName(lane: TimelineLane): string {
  const rest = lane.id.slice(lane.id.indexOf(':') + 1)
  switch (lane.kind) {
    case 'post':
      return lane.text || rest
    case 'account':
      return lane.platform ? timeline.lanes.account(platformName(lane.platform)) : (lane.account ?? rest)
    case 'target':
      return lane.platform ? platformName(lane.platform) : (lane.account ?? rest)
    case 'job':
      if (lane.group === lane.id) return lane.text || rest
      return lane.job?.origin === 'import' ? timeline.lanes.import : timeline.lanes.here
    case 'tests':
      return timeline.lanes.tests
    case 'set_aside':
      return timeline.lanes.set_aside
    default:
      return capital(rest.replace(':', ' '))
  }
}

/** The lane with the post it belongs to, for where a lane stands alone: `LinkedIn, Doors open at 9.` */
export function laneFull(lane: TimelineLane): string {
  const name = laneName(lane)
  return lane.id !== lane.group && lane.text ? `${name}, ${lane.text}` : name
}

/** State of a lane: its word, mark and tone; null where nothing is known. */
export function laneState(lane: TimelineLane): { word: string; icon: string; tone: 'good' | 'wait' | 'stop' | 'plain' } | null {
  if (lane.kind === 'job') return null
  if (lane.under_way) return { word: timeline.lanes.underWay, icon: 'sending', tone: 'plain' }
  if (lane.tie) return { word: timeline.lanes.unclear, icon: 'tie', tone: 'wait' }
  if (lane.status === null) return null
  const word = capital(statusWord(lane.status))
  const looks: Record<string, [string, 'good' | 'wait' | 'stop' | 'plain']> = {
    published: ['live', 'good'],
    connected: ['live', 'good'],
    partial: ['part', 'wait'],
    failed: ['stop', 'stop'],
    disconnected: ['stop', 'stop'],
    cancelled: ['cancelled', 'plain'],
    scheduled: ['planned', 'plain'],
  }
  const [icon, tone] = looks[lane.status] ?? ['sending', 'plain']
  return { word, icon, tone }
}

/** What a message says in a word: `Live`, `Test`, `Lost`. */
export function eventWord(event: TimelineEvent): string {
  if (event.test) return 'Test'
  if (event.flags.includes('unknown_event')) return 'Unknown kind'
  const status = event.status ?? event.name.split('.').at(-1) ?? ''
  return capital(statusWord(status))
}

/** `signature wrong, kept aside`, `unreadable` */
export function asideWord(mark: TimelineMark): string {
  if (mark.kind !== 'aside') return ''
  if (mark.standing === 'unreadable') return mark.flags.includes('too_large') ? 'too large' : 'unreadable'
  return mark.signature === 'missing' ? 'signature missing, kept aside' : 'signature wrong, kept aside'
}

/** Words for a try's mark. */
export const tryWord: Record<string, string> = {
  answered: 'answered',
  replayed: 'the first post came back',
  lost: 'no answer',
  wait: 'told to wait',
  refused: 'already there, or fix it',
  sending: 'under way',
  not_sent: 'Pozy could not be reached',
}

/** `2½ h`, `18½ h`, `6 min` for the head of a fold, on two lines. */
export function foldWords(length: number): [string, string] {
  const hours = length / 3_600_000
  if (hours < 1) return [`${Math.round(length / 60_000)}`, 'min']
  if (hours < 48) return [halves(hours), 'h']
  return [halves(hours / 24), 'days']
}

function halves(n: number): string {
  const whole = Math.floor(n * 2) / 2
  return Number.isInteger(whole) ? `${whole}` : `${Math.floor(whole) || ''}½`
}

/** `Not listening`, `2 h 48 min` */
export function gapWords(length: number): [string, string] {
  return [timeline.notListening, span(length)]
}

/** Which track of a message is meant. */
export type Part = 'happened' | 'arrived' | 'again' | 'try' | 'older' | 'seen' | 'aside' | 'many' | 'key'

/** A mark in words: what it is and why, for the list twin and to be spoken. */
export interface MarkWords {
  what: string
  why: string
}

/** What a message is, and why it is out of the ordinary. */
export function eventWords(event: TimelineEvent, copy: number | null): MarkWords {
  const word = eventWord(event)
  if (copy !== null) {
    const found = event.copies.find((c) => c.copy === copy)
    return { what: `${word}, came again (${timeline.times(copy)})`, why: found?.cause?.text ?? '' }
  }
  const why: string[] = []
  if (event.order === 'late') why.push(event.late_by_ms === null ? 'late' : timeline.late(event.late_by_ms))
  if (event.order === 'tie') why.push(timeline.tie)
  if (event.stale) why.push(timeline.older)
  const skew = event.happened_ms !== null && event.happened_ms > event.arrived_ms ? event.happened_ms - event.arrived_ms : 0
  if (skew > 0) why.push(`clocks differ by ${span(skew)}`)
  if (event.arrivals > 1) why.push(`came ${event.arrivals} times`)
  return { what: word, why: why.join(', ') }
}

/** Everything that is spoken for a mark. */
export function markSentence(
  lane: TimelineLane,
  part: Part,
  mark: TimelineMark | null,
  copy: number | null,
  ms: number,
  face: Clockface,
  now: number,
): string {
  const time = face.full(ms, now)
  const where = laneFull(lane)
  if (part === 'key') return `${where}: the key ends ${time}.`
  if (!mark) return where
  switch (mark.kind) {
    case 'event': {
      const { what, why } = eventWords(mark, copy)
      const verb = part === 'happened' ? 'happened' : 'arrived'
      return `${where}: ${what}, ${verb} ${time}.${why ? ` ${capital(why)}.` : ''}`.replace('..', '.')
    }
    case 'try':
      return `${where}: try ${mark.n}, ${tryWord[mark.mark] ?? mark.mark}, ${time}. ${mark.says}`
    case 'older':
      return `${where}: a message ${timeline.older}, ${time}.`
    case 'seen':
      return `${where}: ${mark.differs ? timeline.differs : timeline.confirmed}, ${statusWord(mark.status)}, ${time}.`
    case 'aside':
      return `${where}: ${asideWord(mark)}, ${time}.`
    case 'bin':
      return `${where}: ${[`${timeline.many(mark.count)} from ${time} to ${face.full(mark.to_ms, now)}`, shareWords(mark)].filter((one) => one !== '').join(', ')}. Zoom in to tell them apart.`
  }
}
