// Which quiet stretches are folded at a zoom. A minute that holds a mark is never folded.

import type { TimelineLane } from '../wire/wire'
import type { Fold, Stretch } from './scale'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** A quiet stretch that would be wider than this is folded, pixels. */
const WORTH = 96
/** Shorter quiet is not worth a fold. */
const LEAST = 5 * MINUTE

/** Width of a fold by how long it was quiet: three widths, so that long is told from very long. */
export function foldWidth(length: number): number {
  if (length < 4 * HOUR) return 24
  return length < 48 * HOUR ? 40 : 64
}

/** The quiet stretches that are folded at so many milliseconds a pixel, in order. */
export function foldsAt(quiet: readonly Stretch[], msPerPx: number): Fold[] {
  return quiet
    .filter((q) => q.to - q.from >= LEAST && (q.to - q.from) / msPerPx > WORTH)
    .map((q) => ({ ...q, width: foldWidth(q.to - q.from) }))
}

/** Every instant at which a mark of some lanes stands. */
export function eachInstant(lanes: readonly TimelineLane[], take: (ms: number) => void): void {
  for (const lane of lanes)
    for (const mark of lane.marks) {
      if (mark.kind === 'event') {
        if (mark.happened_ms !== null) take(mark.happened_ms)
        take(mark.arrived_ms)
      } else if (mark.kind === 'bin') {
        take(mark.from_ms)
        take(mark.to_ms)
      } else take(mark.at_ms)
    }
}

/** Quiet stretches without the minutes of some lanes' marks: what came after the quiet was told of. */
export function quietBeside(quiet: readonly Stretch[], lanes: readonly TimelineLane[]): readonly Stretch[] {
  const inside: number[] = []
  eachInstant(lanes, (ms) => {
    if (holds(quiet, ms)) inside.push(ms)
  })
  return inside.length === 0 ? quiet : without(quiet, inside)
}

/** True if one of the stretches, which are in order, holds the instant. */
function holds(quiet: readonly Stretch[], ms: number): boolean {
  let low = 0
  let high = quiet.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((quiet[middle]?.to ?? 0) <= ms) low = middle + 1
    else high = middle
  }
  return (quiet[low]?.from ?? Infinity) <= ms
}

/** Quiet stretches without the minutes of some instants. */
export function without(quiet: readonly Stretch[], instants: readonly number[]): Stretch[] {
  const sorted = [...instants].sort((a, b) => a - b)
  const found: Stretch[] = []
  let next = 0
  for (const q of quiet) {
    let from = q.from
    while (next < sorted.length && (sorted[next] ?? 0) < q.from) next++
    for (let at = next; at < sorted.length && (sorted[at] ?? 0) < q.to; at++) {
      const minute = Math.floor((sorted[at] ?? 0) / MINUTE) * MINUTE
      if (minute > from) found.push({ from, to: minute })
      from = Math.max(from, minute + MINUTE)
    }
    if (q.to > from) found.push({ from, to: q.to })
  }
  return found
}
