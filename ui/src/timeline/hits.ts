// The spot under the pointer, found by row and place instead of by looking at every spot. Pure.

import { REACH } from './find'
import type { Spot } from './scene'

/** A spot wider than this is looked at whatever the place; there are few of them, since bars take the place of marks. */
const BROAD = 32

/** Spots of one row: a run of a scene, in order of their left edge. */
interface Run {
  /** Places of the narrow ones in the scene. */
  narrow: number[]
  /** Places of the broad ones. */
  broad: number[]
  top: number
  bottom: number
}

/** The squared distance of a point to a spot; null outside its hit area. */
export function distance(spot: Spot, x: number, y: number): number | null {
  const dx = x < spot.x ? spot.x - x : Math.max(0, x - spot.x - spot.wide)
  const dy = Math.abs(spot.y - y)
  return dx > REACH || dy > REACH ? null : dx * dx + dy * dy
}

/** Answers which spot of a scene lies under a point. */
export class Hits {
  readonly #spots: readonly Spot[]
  readonly #runs: Run[] = []

  /** `spots` are those of a scene: row by row, within a row by their left edge. */
  constructor(spots: readonly Spot[]) {
    this.#spots = spots
    let row: number | null = null
    let run: Run | null = null
    spots.forEach((spot, at) => {
      if (!run || spot.row !== row) {
        row = spot.row
        run = { narrow: [], broad: [], top: spot.y, bottom: spot.y }
        this.#runs.push(run)
      }
      run.top = Math.min(run.top, spot.y)
      run.bottom = Math.max(run.bottom, spot.y)
      ;(spot.wide > BROAD ? run.broad : run.narrow).push(at)
    })
  }

  /** The nearest spot whose hit area holds the point, the first of those equally near; null if none does. */
  at(x: number, y: number): Spot | null {
    let best = -1
    let least = Infinity
    const look = (at: number): void => {
      const spot = this.#spots[at]
      const found = spot ? distance(spot, x, y) : null
      if (found === null || found > least || (found === least && at > best)) return
      least = found
      best = at
    }
    for (const run of this.#runs) {
      if (y < run.top - REACH || y > run.bottom + REACH) continue
      run.broad.forEach(look)
      for (let n = this.#first(run.narrow, x - REACH - BROAD); n < run.narrow.length; n++) {
        const at = run.narrow[n] ?? 0
        if ((this.#spots[at]?.x ?? Infinity) > x + REACH) break
        look(at)
      }
    }
    return this.#spots[best] ?? null
  }

  /** Place in a run of the first spot that begins at or after `x`. */
  #first(run: readonly number[], x: number): number {
    let low = 0
    let high = run.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#spots[run[middle] ?? 0]?.x ?? 0) < x) low = middle + 1
      else high = middle
    }
    return low
  }
}
