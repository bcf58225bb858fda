import { expect, test } from 'vitest'

import type { TimelineDensity } from '../wire/wire'
import { heightOf, shareOf } from './columns'
import { columnsOf, sumOf } from './density'
import { TimeScale } from './scale'

const density = (from_ms = 0): TimelineDensity => ({
  from_ms,
  bin_ms: 64,
  arrivals: Array.from({ length: 200 }, (_, n) => (n % 10 === 9 ? 0 : n + 1)),
  again: Array.from({ length: 200 }, (_, n) => n % 3),
  late: Array.from({ length: 200 }, (_, n) => n % 2),
})
const scale = (msPerPx: number, ms = 0): TimeScale => new TimeScale({ ms, x: 0, msPerPx })

test('columns hold all that came in sight, at any zoom, and none is too narrow to be seen', () => {
  const all = density()
  const whole = all.arrivals.reduce((sum, n) => sum + n, 0)
  for (const msPerPx of [4, 16, 50, 128, 1000]) {
    const found = columnsOf(all, scale(msPerPx), 4000, 28)
    expect(found.reduce((sum, c) => sum + c.count, 0), `${msPerPx} ms a pixel`).toBe(whole)
    for (const c of found) expect(c.wide).toBeGreaterThanOrEqual(3.9)
    expect(Math.max(...found.map((c) => c.high))).toBe(28)
  }
})

test('columns stand at the same instants in every answer that holds them', () => {
  const far = (from: number): number[] => columnsOf(density(from), scale(100, from), 4000, 28).map((c) => c.from)
  const [one, other] = [far(0), far(64 * 37)]
  const both = one.filter((ms) => ms >= 64 * 40 && ms < 64 * 190)
  expect(both.length).toBeGreaterThan(10)
  for (const ms of both) expect(other).toContain(ms)
})

test('what came in a stretch is the sum of its bins', () => {
  const all = density()
  expect(sumOf(all, 0, 64 * 3)).toEqual({ count: 1 + 2 + 3, again: 0 + 1 + 2, late: 0 + 1 + 0 })
  expect(sumOf(all, -1e9, 1e9).count).toBe(all.arrivals.reduce((sum, n) => sum + n, 0))
  expect(sumOf(all, 1e9, 2e9)).toEqual({ count: 0, again: 0, late: 0 })
})

test('few of many are still seen, and never more than there is', () => {
  const column = { x: 0, wide: 6, y: 0, high: heightOf(10_000, 10_000, 16), count: 10_000, again: 1, late: 0, failed: 0 }
  expect(column.high).toBe(16)
  expect(heightOf(1, 10_000, 16)).toBe(3)
  expect(heightOf(0, 10_000, 16)).toBe(0)
  expect(shareOf(1, column)).toBe(2)
  expect(shareOf(0, column)).toBe(0)
  expect(shareOf(20_000, column)).toBe(16)
})
