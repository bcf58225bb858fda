import { expect, test } from 'vitest'

import { foldsAt, foldWidth, without } from './folds'
import { TimeScale } from './scale'
import { firstView, fitted, following, panned, revealing, scaleOf, spanOf, zoomed } from './view'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const night = { from: 10 * HOUR, to: 28 * HOUR }

test('without folds time is a straight line', () => {
  const scale = new TimeScale({ ms: 1000, x: 100, msPerPx: 10 })
  expect(scale.x(2000)).toBe(200)
  expect(scale.ms(0)).toBe(0)
})

test('a fold is as wide as it is said to be, and what is behind it moves up', () => {
  const scale = new TimeScale({ ms: 0, x: 0, msPerPx: MINUTE }, [{ ...night, width: 40 }])
  expect(scale.x(night.from)).toBe(600)
  expect(scale.x(night.to)).toBe(640)
  expect(scale.x(night.to + HOUR)).toBe(700)
  expect(scale.x((night.from + night.to) / 2), 'inside positions stay in proportion').toBe(620)
})

test('pixel and instant are each other’s way back, anchored anywhere', () => {
  const folds = [
    { from: HOUR, to: 3 * HOUR, width: 24 },
    { from: 5 * HOUR, to: 60 * HOUR, width: 64 },
  ]
  for (const ms of [0, 90 * MINUTE, 4 * HOUR, 30 * HOUR, 70 * HOUR]) {
    const scale = new TimeScale({ ms, x: 333, msPerPx: 7919 }, folds)
    expect(scale.x(ms)).toBeCloseTo(333, 6)
    for (let at = -HOUR; at < 80 * HOUR; at += 37 * MINUTE) expect(scale.ms(scale.x(at))).toBeCloseTo(at, 3)
  }
})

test('quiet folds only where it would be wide', () => {
  expect(foldsAt([night], MINUTE)).toEqual([{ ...night, width: 40 }])
  expect(foldsAt([night], HOUR), 'eighteen pixels are not worth it').toEqual([])
  expect([foldWidth(2 * HOUR), foldWidth(18 * HOUR), foldWidth(90 * HOUR)]).toEqual([24, 40, 64])
})

test('a minute that holds a mark is never folded', () => {
  const marks = [12 * HOUR + 30_000, 12 * HOUR + 40_000, 20 * HOUR, 40 * HOUR]
  const rest = without([night], marks)
  expect(rest).toEqual([
    { from: 10 * HOUR, to: 12 * HOUR },
    { from: 12 * HOUR + MINUTE, to: 20 * HOUR },
    { from: 20 * HOUR + MINUTE, to: 28 * HOUR },
  ])
  for (const fold of foldsAt(rest, 1000)) {
    for (const mark of marks) expect(mark >= fold.from && mark < fold.to).toBe(false)
  }
})

test('zoom keeps the instant under the pointer, pan the one in the middle', () => {
  const scale = scaleOf({ ms: 9 * HOUR, x: 200, msPerPx: MINUTE }, [night])
  const closer = scaleOf(zoomed(scale, 2, 320), [night])
  expect(closer.ms(320)).toBeCloseTo(scale.ms(320), 3)
  expect(closer.view.msPerPx).toBe(MINUTE / 2)
  const moved = scaleOf(panned(scale, 100, 800), [night])
  expect(moved.ms(400)).toBeCloseTo(scale.ms(300), 3)
  expect(scaleOf(zoomed(scale, 1e9, 0), []).view.msPerPx, 'there is a closest look').toBe(0.25)
})

test('fit shows a span from edge to edge, folds and all', () => {
  const span = { from: 8 * HOUR, to: 30 * HOUR }
  const scale = scaleOf(fitted(span, [night], 24, 776), [night])
  expect(scale.x(span.from)).toBeCloseTo(24, 3)
  expect(scale.x(span.to)).toBeLessThanOrEqual(776.5)
  expect(scale.x(span.to)).toBeGreaterThan(700)
})

test('following leaves the picture still until the present comes to the edge', () => {
  const view = { ms: 0, x: 0, msPerPx: 100 }
  const scale = scaleOf(view, [])
  expect(following(scale, 50_000, 1000)).toBe(view)
  expect(following(scale, 97_000, 1000)).toEqual({ ms: 97_000, x: 800, msPerPx: 100 })
  expect(revealing(scale, 50_000, 1000)).toBe(view)
  expect(scaleOf(revealing(scale, -5000, 1000), []).x(-5000)).toBeGreaterThan(48)
})

test('the first look shows a short log whole and the last minutes of a long one', () => {
  const now = 100 * HOUR
  const short = scaleOf(firstView(now - 2 * MINUTE, now, [], 1000), [])
  expect(short.x(now - 2 * MINUTE)).toBeGreaterThanOrEqual(23)
  expect(short.x(now)).toBe(800)
  const long = scaleOf(firstView(0, now, [], 1000), [])
  expect((long.ms(1000) - long.ms(0)) / MINUTE).toBeLessThan(20)
})

test('all of a log ends where the rest after its last mark begins', () => {
  const map = { from_ms: HOUR, to_ms: 40 * HOUR, quiet: [{ from_ms: 2 * HOUR, to_ms: 4 * HOUR }, { from_ms: 9 * HOUR, to_ms: 40 * HOUR - MINUTE }] }
  expect(spanOf(map)).toEqual({ from: HOUR, to: 9 * HOUR })
  expect(spanOf({ ...map, quiet: [] })).toEqual({ from: HOUR, to: 40 * HOUR })
  expect(spanOf({ ...map, from_ms: null })).toBeNull()
})
