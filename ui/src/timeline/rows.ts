// Where each lane stands: heights by kind, a hairline between groups.

import type { TimelineLane, TimelineLaneKind } from '../wire/wire'

/** Height of the axis above the lanes, pixels. */
export const AXIS = 44

const HEIGHT: Record<TimelineLaneKind, number> = {
  post: 50,
  target: 41,
  job: 36,
  account: 54,
  other: 54,
  tests: 40,
  set_aside: 34,
}
/** Space between two groups; the line stands in its middle. */
const BETWEEN = 9

/** One lane on the screen, in pixels from the top of all lanes. */
export interface Row {
  lane: TimelineLane
  top: number
  height: number
  /** The track of what happened; none where nothing is known to have happened. */
  happened: number | null
  /** The track of what arrived; for jobs the middle of the tries. */
  arrived: number
  /** A line above, where a group begins. */
  divided: boolean
}

/** All lanes, and how high they are together. */
export interface Rows {
  rows: Row[]
  height: number
}

/** Stacks lanes in their order. */
export function rowsOf(lanes: readonly TimelineLane[]): Rows {
  const rows: Row[] = []
  let top = 2
  for (const lane of lanes) {
    const before = rows.at(-1)
    const divided = before !== undefined && before.lane.group !== lane.group && !bothApart(before.lane, lane)
    if (divided) top += BETWEEN
    const height = HEIGHT[lane.kind]
    const middle = top + height / 2
    const spread = lane.kind === 'target' ? 9 : lane.kind === 'tests' ? 7 : 11
    const tracks = lane.kind !== 'job' && lane.kind !== 'set_aside'
    rows.push({
      lane,
      top,
      height,
      happened: tracks ? Math.round(middle - spread) : null,
      arrived: Math.round(tracks ? middle + spread : middle),
      divided,
    })
    top += height
  }
  return { rows, height: top + 8 }
}

/** Tests and set-aside arrivals stand under one line. */
function bothApart(one: TimelineLane, other: TimelineLane): boolean {
  return one.kind === 'tests' && other.kind === 'set_aside'
}

/** Rows by their places: `first` to before `end`. */
export interface Sight {
  first: number
  end: number
}

/** The rows of which something stands between two heights. */
export function between(rows: readonly Row[], from: number, to: number): Sight {
  const upTo = (height: number, edge: (row: Row) => number): number => {
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      const row = rows[middle]
      if (row && edge(row) <= height) low = middle + 1
      else high = middle
    }
    return low
  }
  const first = upTo(from, (row) => row.top + row.height)
  return { first, end: Math.max(first, upTo(to, (row) => row.top)) }
}
