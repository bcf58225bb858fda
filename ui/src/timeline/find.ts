// Which mark is meant: by the pointer, and by the keys. Pure sums over the spots of a scene.

import type { Spot } from './scene'

/** Half of the least hit area (looks, For everyone), pixels. */
const REACH = 12

/** The spot under a point: the nearest whose hit area holds it; null if none does. */
export function spotAt(spots: readonly Spot[], x: number, y: number): Spot | null {
  let best: Spot | null = null
  let least = Infinity
  for (const spot of spots) {
    const dx = x < spot.x ? spot.x - x : Math.max(0, x - spot.x - spot.wide)
    const dy = Math.abs(spot.y - y)
    if (dx > REACH || dy > REACH) continue
    const distance = dx * dx + dy * dy
    if (distance < least) {
      least = distance
      best = spot
    }
  }
  return best
}

/** Spots in the order of a lane: by time, the happened one of one instant first. */
function inLane(spots: readonly Spot[], row: number): Spot[] {
  return spots.filter((s) => s.row === row).sort((a, b) => a.ms - b.ms || a.y - b.y || a.x - b.x)
}

/** The next spot of a lane by time. */
export function beside(spots: readonly Spot[], from: Spot, step: 1 | -1): Spot | null {
  const lane = inLane(spots, from.row)
  return lane[lane.findIndex((s) => s.key === from.key) + step] ?? null
}

/** The spot of the nearest lane above or below that has any, nearest in time. */
export function across(spots: readonly Spot[], from: Spot, step: 1 | -1): Spot | null {
  const rows = [...new Set(spots.map((s) => s.row))].sort((a, b) => a - b)
  const row = rows[rows.indexOf(from.row) + step]
  return row === undefined ? null : nearest(inLane(spots, row), from.ms)
}

/** The spot at the other end of its link; null if it has none in the scene. */
export function otherEnd(spots: readonly Spot[], from: Spot): Spot | null {
  return spots.find((s) => s.key === from.other) ?? null
}

/** Where the keyboard begins: the latest spot in sight, of the topmost lane that has one. */
export function firstSpot(spots: readonly Spot[], width: number): Spot | null {
  const seen = spots.filter((s) => s.x >= 0 && s.x <= width)
  const row = Math.min(...seen.map((s) => s.row))
  return inLane(seen, row).at(-1) ?? null
}

/** The spot of a list that is nearest to an instant. */
export function nearest(spots: readonly Spot[], ms: number): Spot | null {
  let best: Spot | null = null
  for (const spot of spots) if (!best || Math.abs(spot.ms - ms) < Math.abs(best.ms - ms)) best = spot
  return best
}
