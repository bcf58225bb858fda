// How many messages came over time, whether or not their lanes are shown. Pure.

import { type Column, heightOf } from './columns'
import type { TimeScale } from './scale'
import type { TimelineDensity } from '../wire/wire'

/** Narrower columns than this are taken together, pixels. */
const LEAST = 4

/** A column with the time it stands for. */
export interface Counted extends Column {
  from: number
  to: number
}

/** What came within a stretch of time. */
export interface Sum {
  count: number
  again: number
  late: number
}

/** The columns over a picture of some width, `room` high. Columns begin at the same instants wherever one looks. */
export function columnsOf(density: TimelineDensity, scale: TimeScale, width: number, room: number): Counted[] {
  const each = Math.max(1, 2 ** Math.ceil(Math.log2(LEAST / Math.max(1e-9, density.bin_ms / scale.view.msPerPx))))
  const found: Counted[] = []
  let most = 0
  const bin = density.bin_ms
  // Bins are taken together by their place in all time, not by their place in this answer.
  const aside = ((Math.round(density.from_ms / bin) % each) + each) % each
  for (let first = -aside; first < density.arrivals.length; first += each) {
    const sum = summed(density, Math.max(0, first), first + each)
    most = Math.max(most, sum.count)
    if (sum.count === 0) continue
    const [from, to] = [density.from_ms + first * bin, density.from_ms + (first + each) * bin]
    const [x, edge] = [scale.x(from), scale.x(to)]
    if (edge < 0 || x > width) continue
    found.push({ x, wide: Math.max(2, edge - x), y: room + 1, high: 0, ...sum, failed: 0, from, to })
  }
  for (const one of found) one.high = heightOf(one.count, most, room)
  return found
}

/** What came between two instants, by whole bins. */
export function sumOf(density: TimelineDensity, from: number, to: number): Sum {
  const at = (ms: number): number => (ms - density.from_ms) / density.bin_ms
  return summed(density, Math.max(0, Math.floor(at(from))), Math.ceil(at(to)))
}

function summed(density: TimelineDensity, first: number, end: number): Sum {
  const sum: Sum = { count: 0, again: 0, late: 0 }
  for (let n = first; n < Math.min(end, density.arrivals.length); n++) {
    sum.count += density.arrivals[n] ?? 0
    sum.again += density.again[n] ?? 0
    sum.late += density.late[n] ?? 0
  }
  return sum
}
