// What is chosen: a spot by its key, and what that key means whether or not the spot is on the screen now.

import type { ArrivalRow, EventRow, TimelineCopy, TimelineLane, TimelineMark } from '../wire/wire'
import type { Part } from '../words'
import { eventKey, type Spot } from './scene'
import type { Telling } from './told'

/** One entry of the list twin, and what a choice is kept as. */
export interface Entry {
  key: string
  lane: TimelineLane
  part: Part
  mark: TimelineMark | null
  copy: TimelineCopy | null
  ms: number
}

/** Which part of its mark a spot is. */
export function partOf(spot: Spot): Part {
  if (spot.copy) return 'again'
  if (spot.shape === 'key_end') return 'key'
  switch (spot.mark?.kind) {
    case 'try':
      return 'try'
    case 'older':
      return 'older'
    case 'seen':
      return 'seen'
    case 'aside':
      return 'aside'
    case 'bin':
      return 'many'
    default:
      return spot.shape === 'happened' || spot.shape === 'test_happened' ? 'happened' : 'arrived'
  }
}

/** A spot as an entry. */
export function entryOf(spot: Spot, lane: TimelineLane): Entry {
  return { key: spot.key, lane, part: partOf(spot), mark: spot.mark, copy: spot.copy, ms: spot.ms }
}

/** Every mark of some lanes within a stretch of time, by time: the rows of the list twin. A message is one row, with both of
 * its times, and each arrival after its first a row of its own. */
export function entries(lanes: readonly TimelineLane[], from: number, to: number): Entry[] {
  const all: Entry[] = []
  const inside = (...instants: number[]): boolean => Math.max(...instants) >= from && Math.min(...instants) <= to
  for (const lane of lanes) {
    for (const mark of lane.marks) {
      if (mark.kind === 'event') {
        if (inside(mark.arrived_ms, mark.happened_ms ?? mark.arrived_ms)) {
          all.push({ key: eventKey(mark.event, 'arrived'), lane, part: 'arrived', mark, copy: null, ms: mark.arrived_ms })
        }
        for (const copy of mark.copies) {
          if (inside(copy.at_ms)) all.push({ key: `copy:${copy.seq}`, lane, part: 'again', mark, copy, ms: copy.at_ms })
        }
      } else if (mark.kind === 'try') {
        if (inside(mark.at_ms)) all.push({ key: `try:${mark.job}:${mark.n}`, lane, part: 'try', mark, copy: null, ms: mark.at_ms })
      } else if (mark.kind === 'older') {
        if (inside(mark.at_ms)) all.push({ key: `older:${mark.event}:${lane.id}`, lane, part: 'older', mark, copy: null, ms: mark.at_ms })
      } else if (mark.kind === 'seen') {
        if (inside(mark.at_ms)) all.push({ key: `seen:${lane.id}:${mark.at_ms}`, lane, part: 'seen', mark, copy: null, ms: mark.at_ms })
      } else if (mark.kind === 'aside') {
        if (inside(mark.at_ms)) all.push({ key: `aside:${mark.seq}`, lane, part: 'aside', mark, copy: null, ms: mark.at_ms })
      } else if (inside(mark.from_ms, mark.to_ms)) {
        all.push({ key: `bin:${lane.id}:${mark.from_ms}`, lane, part: 'many', mark, copy: null, ms: mark.from_ms })
      }
    }
    const ends = lane.job?.key_expires?.ms
    if (lane.job?.key && lane.job.key_since && ends !== undefined && inside(ends)) {
      all.push({ key: `key:${lane.job.job}`, lane, part: 'key', mark: null, copy: null, ms: ends })
    }
  }
  return all.sort((a, b) => a.ms - b.ms || (a.key < b.key ? -1 : 1))
}

/** Messages that came again, came late or share an instant, within a stretch: what the jumps of the bar step through. */
export function telling(all: readonly Entry[], kind: Telling): Entry[] {
  return all.filter((e) => {
    if (kind === 'again') return e.part === 'again'
    return e.part === 'arrived' && e.mark?.kind === 'event' && e.mark.order === kind
  })
}

/** The event that an arrival is one of; null for one that makes none, whatever it claims. */
export function messageOf(arrival: ArrivalRow): string | null {
  return arrival.standing === 'quarantined' || arrival.standing === 'unreadable' ? null : arrival.event
}

/** An arrival that makes no event as a row of the events list, for its detail. */
export function asideRow(arrival: ArrivalRow): EventRow {
  return {
    id: `arrival:${arrival.seq}`,
    event: null,
    seq: arrival.seq,
    kind: arrival.standing,
    name: null,
    status: null,
    platform: null,
    account: null,
    text: null,
    happened: null,
    first_arrived: arrival.arrived,
    last_arrived: arrival.arrived,
    arrivals: 1,
    applied: false,
    test: false,
    resource: null,
    order: 'unplaced',
    late_by_ms: null,
    overtaken_by: null,
    stale_lanes: [],
    flags: arrival.flags,
    cause: null,
    signature: arrival.signature,
    confirmed: null,
  }
}
