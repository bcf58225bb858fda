// How many messages within a stretch of time came again, came late or share an instant: counted by two searches instead of by
// looking at every mark, since the stretch moves with every frame. Pure.

import type { TimelineLane } from '../wire/wire'

/** What the jumps of the bar step through. */
export const TELLING = ['again', 'late', 'tie'] as const
/** One of them. */
export type Telling = (typeof TELLING)[number]

/** Beginnings and ends of marks, each in order. */
interface Ends {
  lows: Float64Array
  highs: Float64Array
}

/** The count over some lanes; made once for each answer. */
export class Told {
  readonly #ends: Record<Telling, Ends>

  constructor(lanes: readonly TimelineLane[]) {
    const found: Record<Telling, [number[], number[]]> = { again: [[], []], late: [[], []], tie: [[], []] }
    const add = (kind: Telling, one: number, other: number): void => {
      found[kind][0].push(Math.min(one, other))
      found[kind][1].push(Math.max(one, other))
    }
    for (const lane of lanes)
      for (const mark of lane.marks) {
        if (mark.kind !== 'event') continue
        if (mark.order === 'late' || mark.order === 'tie') add(mark.order, mark.arrived_ms, mark.happened_ms ?? mark.arrived_ms)
        for (const copy of mark.copies) add('again', copy.at_ms, copy.at_ms)
      }
    const ends = ([lows, highs]: [number[], number[]]): Ends => ({ lows: Float64Array.from(lows).sort(), highs: Float64Array.from(highs).sort() })
    this.#ends = { again: ends(found.again), late: ends(found.late), tie: ends(found.tie) }
  }

  /** How many of a kind touch a stretch. */
  count(kind: Telling, from: number, to: number): number {
    const { lows, highs } = this.#ends[kind]
    return upTo(lows, to) - below(highs, from)
  }
}

/** How many sorted values are at most `value`. */
function upTo(sorted: Float64Array, value: number): number {
  return search(sorted, (one) => one <= value)
}

/** How many sorted values are less than `value`. */
function below(sorted: Float64Array, value: number): number {
  return search(sorted, (one) => one < value)
}

function search(sorted: Float64Array, before: (one: number) => boolean): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (before(sorted[middle] ?? 0)) low = middle + 1
    else high = middle
  }
  return low
}
