// Which mark is meant: by the pointer, and by the keys. Pure sums over the spots of rows.

import type { Spot } from './scene'

/** Half of the least hit area (looks, For everyone), pixels. */
export const REACH = 12

/** The spots of a row, in any order. */
export type SpotsOf = (row: number) => readonly Spot[]

/** Spots in the order of a lane: by time, the happened one of one instant first. */
function inLane(spots: readonly Spot[]): Spot[] {
  return [...spots].sort((a, b) => a.ms - b.ms || a.y - b.y || a.x - b.x)
}

/** The next spot of a lane by time. */
export function beside(spotsOf: SpotsOf, from: Spot, step: 1 | -1): Spot | null {
  const lane = inLane(spotsOf(from.row))
  return lane[lane.findIndex((s) => s.key === from.key) + step] ?? null
}

/** The spot of the nearest lane above or below that has any, nearest in time. */
export function across(spotsOf: SpotsOf, rows: number, from: Spot, step: 1 | -1): Spot | null {
  for (let row = from.row + step; row >= 0 && row < rows; row += step) {
    const found = nearest(inLane(spotsOf(row)), from.ms)
    if (found) return found
  }
  return null
}

/** The spot at the other end of its link, in its own row or in the one named; null if it has none there. */
export function otherEnd(spotsOf: SpotsOf, from: Spot, row = from.row): Spot | null {
  return from.other === null ? null : (spotsOf(row).find((s) => s.key === from.other) ?? null)
}

/** Where the keyboard begins: the latest spot in sight, of the topmost lane that has one. */
export function firstSpot(spotsOf: SpotsOf, rows: number, width: number): Spot | null {
  for (let row = 0; row < rows; row++) {
    const found = inLane(spotsOf(row).filter((s) => s.x >= 0 && s.x <= width)).at(-1)
    if (found) return found
  }
  return null
}

/** The spot of a list that is nearest to an instant. */
export function nearest(spots: readonly Spot[], ms: number): Spot | null {
  let best: Spot | null = null
  for (const spot of spots) if (!best || Math.abs(spot.ms - ms) < Math.abs(best.ms - ms)) best = spot
  return best
}
