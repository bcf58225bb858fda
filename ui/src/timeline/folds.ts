// Which quiet stretches are folded at a zoom. A minute that holds a mark is never folded.

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

/** Quiet stretches without the minutes of some instants: what came after the quiet was told of. */
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
