import { expect, test } from 'vitest'

import { FrameRing } from './framering'

test('no frames come to nothing', () => {
  expect(new FrameRing(8).figures()).toMatchObject({ frames: 0, median: 0, worst: 0, over: 0, paintWorst: 0, updates: 0 })
})

test('a hundred frames: median, shares, the worst, and those that are seen', () => {
  const ring = new FrameRing(200)
  for (let n = 1; n <= 100; n++) ring.add(n, n % 2 === 0 ? n / 10 : 0, n === 40 ? 3 : 1, n === 7 ? 2 : 0)
  const found = ring.figures()
  expect(found).toMatchObject({ frames: 100, median: 50, p95: 95, p99: 99, worst: 100, over: 67, updates: 3, pulls: 2 })
  expect(found.seconds).toBeCloseTo(5.05)
  expect([found.paintMedian, found.paintWorst].map((ms) => ms.toFixed(1)), 'frames without drawing count for nothing').toEqual(['5.0', '10.0'])
})

test('old frames make place for new ones, and starting over forgets all', () => {
  const ring = new FrameRing(4)
  for (const gap of [500, 16, 16, 17, 18]) ring.add(gap, 1, 1, 1)
  expect(ring.figures()).toMatchObject({ frames: 4, worst: 18, over: 0 })
  ring.clear()
  ring.add(20, 0, 0, 0)
  expect(ring.figures()).toMatchObject({ frames: 1, median: 20, worst: 20, paintMedian: 0 })
})
