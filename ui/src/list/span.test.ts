import { expect, test } from 'vitest'

import { drawn, itemAt, offsets, reveal } from './span'

const tops = offsets([28, 32, 32, 28, 32])

test('offsets add heights up', () => {
  expect(tops).toEqual([0, 28, 60, 92, 120, 152])
  expect(offsets([])).toEqual([0])
})

test.each([
  [0, 0],
  [27, 0],
  [28, 1],
  [119, 3],
  [1000, 4],
])('at %d px stands item %d', (y, item) => {
  expect(itemAt(tops, y)).toBe(item)
})

test('only what a view shows is drawn, the rest is height', () => {
  expect(drawn(tops, 30, 40, 0)).toEqual({ first: 1, end: 3, above: 28, below: 60 })
  const long = offsets(new Array<number>(100_000).fill(32))
  const part = drawn(long, 1_600_000, 640, 320)
  expect(part.end - part.first, 'a screenful, however long the list').toBeLessThan(45)
  expect(part.above + (part.end - part.first) * 32 + part.below).toBe(3_200_000)
})

test('an empty list draws nothing', () => {
  expect(drawn([0], 0, 600, 100)).toEqual({ first: 0, end: 0, above: 0, below: 0 })
})

test('revealing moves as little as can be', () => {
  expect(reveal(tops, 2, 0, 152)).toBe(0)
  expect(reveal(tops, 4, 0, 100)).toBe(52)
  expect(reveal(tops, 0, 52, 100)).toBe(0)
})
