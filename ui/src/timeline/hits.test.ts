import { expect, test } from 'vitest'

import { distance, Hits } from './hits'
import { type Spot, spotOf } from './scene'

/** Numbers that look random and are the same every time. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Looks at every spot. */
function plain(spots: readonly Spot[], x: number, y: number): Spot | null {
  let best: Spot | null = null
  let least = Infinity
  for (const spot of spots) {
    const found = distance(spot, x, y)
    if (found === null || found >= least) continue
    least = found
    best = spot
  }
  return best
}

/** Rows of spots as a scene has them, dense and thin, some of them broad. */
function scene(roll: () => number): Spot[] {
  return Array.from({ length: 1 + Math.floor(roll() * 12) }, (_, row) =>
    Array.from({ length: Math.floor(roll() ** 3 * 200) }, (_, n) => {
      // Whole pixels, so that equally near spots come up.
      const spot = spotOf(`${row} ${n}`, row, Math.round(roll() * 400), row * 30 + (roll() < 0.5 ? 0 : 20), 'news', n, null)
      spot.wide = roll() < 0.1 ? Math.round(roll() * 300) : roll() < 0.2 ? 32 : 0
      return spot
    }).sort((a, b) => a.x - b.x),
  ).flat()
}

test.each(Array.from({ length: 40 }, (_, n) => n + 1))('the index finds what looking at every spot finds, scene %d', (seed) => {
  const roll = dice(seed)
  const spots = scene(roll)
  const hits = new Hits(spots)
  const points = Array.from({ length: 300 }, () => [Math.round(roll() * 460 - 30), Math.round(roll() * 400 - 20)] as const)
  const found = points.map(([x, y]) => `${x} ${y}: ${hits.at(x, y)?.key}`)
  expect(found).toEqual(points.map(([x, y]) => `${x} ${y}: ${plain(spots, x, y)?.key}`))
})
