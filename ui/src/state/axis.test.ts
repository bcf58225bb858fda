import { expect, test } from 'vitest'

import { axis } from './axis'

test.each([
  [375, 400, 100],
  [7, 8, 2],
  [1, 1, 1],
  [0, 1, 1],
  [5000, 5000, 1000],
  [31_000, 40_000, 10_000],
])('an axis to %d ms ends at %d in steps of %d', (most, end, step) => {
  const found = axis(most)
  expect(found.end).toBe(end)
  expect(found.ticks.slice(0, 2)).toEqual([0, step])
  expect(found.ticks.length).toBeLessThanOrEqual(6)
})
