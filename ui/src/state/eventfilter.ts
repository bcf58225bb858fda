// The filter of the Events screen: what a person chose, its words in the page's address, and what the core is asked. Pure.

import type { EventsFilter, EventsOnly } from '../wire/wire'
import { meaning } from './localtime'

/** Kinds of messages that have a chip. */
export const KINDS: readonly EventsOnly[] = ['copies', 'late', 'ties', 'tests', 'set_aside']
/** Stretches of time back from now, and their lengths in hours. */
export const SPANS = { hour: 1, day: 24, week: 168, month: 720 } as const
/** Least lateness that can be chosen, in minutes. */
export const LATENESS = { '1m': 1, '10m': 10, '1h': 60, '6h': 360 } as const
/** Causes of a copy (design 3.8). */
export const CAUSES = ['slow_answer', 'failed_answer', 'at_once', 'lost_answer', 'late_retry_or_redelivery', 'redelivered_by_hand'] as const

/** What was chosen; what is absent holds for every row. */
export interface Chosen {
  only?: EventsOnly
  name?: string
  platform?: string
  account?: string
  about?: string
  cause?: string
  late?: keyof typeof LATENESS
  /** A stretch back from now. */
  span?: keyof typeof SPANS
  /** Days `YYYY-MM-DD` in the shown zone, both in it; they count where no stretch is chosen. */
  from?: string
  to?: string
  text?: string
}

/** The names of the terms, as they stand in the address. */
export const TERMS = ['only', 'name', 'platform', 'account', 'about', 'cause', 'late', 'span', 'from', 'to', 'text'] as const satisfies readonly (keyof Chosen)[]

/** Reads the terms of an address; what is unknown there is left out. */
export function chosenOf(query: ReadonlyMap<string, string>): Chosen {
  const found: Record<string, string> = {}
  const known: Partial<Record<keyof Chosen, readonly string[]>> = {
    only: KINDS,
    cause: CAUSES,
    late: Object.keys(LATENESS),
    span: Object.keys(SPANS),
  }
  for (const term of TERMS) {
    const value = query.get(term)
    const day = term === 'from' || term === 'to'
    if (value === undefined || (known[term] && !known[term].includes(value)) || (day && !isDay(value))) continue
    found[term] = value
  }
  return found as Chosen
}

/** True if the text is a day of the calendar. */
export const isDay = (text: string): boolean => meaning(`${text}T12:00`, 'UTC') !== null

/** The first instant of a day in a zone: midnight, or the first after it that exists. */
function dayStart(day: string, zone: string): number | null {
  for (const clock of ['00:00', '00:30', '01:00', '01:30', '02:00']) {
    const found = meaning(`${day}T${clock}`, zone)
    if (found?.kind === 'once') return found.ms
    if (found?.kind === 'twice') return found.first
  }
  return null
}

/** The day after. */
const dayAfter = (day: string): string => new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10)

/** What the core is asked, at an instant and in a zone; null where only a chip is chosen, which the list knows by itself. */
export function filterOf(chosen: Chosen, now: number, zone: string): EventsFilter | null {
  const filter: EventsFilter = {}
  for (const term of ['name', 'platform', 'account', 'about', 'cause'] as const) {
    const value = chosen[term]
    if (value !== undefined) filter[term] = value
  }
  if (chosen.late) filter.late_ms = LATENESS[chosen.late] * 60_000
  if (chosen.span) filter.from_ms = now - SPANS[chosen.span] * 3_600_000
  else {
    const from = chosen.from ? dayStart(chosen.from, zone) : null
    const to = chosen.to ? dayStart(dayAfter(chosen.to), zone) : null
    if (from !== null) filter.from_ms = from
    if (to !== null) filter.to_ms = to - 1
  }
  const text = chosen.text?.trim()
  if (text) filter.text = text
  return Object.keys(filter).length > 0 ? filter : null
}

/** The terms that are chosen, without the chips and the text, which show themselves. */
export function termsOf(chosen: Chosen): (keyof Chosen)[] {
  return TERMS.filter((term) => term !== 'only' && term !== 'text' && chosen[term] !== undefined)
}

/** How far a look has come between the newest and the oldest row, 0 to 1; null where that is not known. */
export function progress(newest: number, reached: number | null, oldest: number | null): number | null {
  if (reached === null || oldest === null) return null
  if (newest <= oldest) return 1
  return Math.min(1, Math.max(0, (newest - reached) / (newest - oldest)))
}
