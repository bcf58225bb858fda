import { expect, test } from 'vitest'

import { nameOf, resolution, serves, windowAround } from './window'

const names = (views: readonly number[], length: number, msPerPx: number): string[] =>
  views.map((from) => nameOf(windowAround({ from, to: from + length }, msPerPx), 40))

test('a window holds what is seen and half of it on either side, and little more', () => {
  for (let n = 0; n < 2000; n++) {
    const length = Math.round(1.013 ** (n % 1700) * 10)
    const from = 1_772_000_000_000 + n * 977 - 500_000
    const found = windowAround({ from, to: from + length }, 10)
    expect(found.from_ms).toBeLessThanOrEqual(from - length / 2)
    expect(found.to_ms).toBeGreaterThanOrEqual(from + length + length / 2)
    expect((found.to_ms - found.from_ms) / length).toBeLessThanOrEqual(5.1)
    expect(serves(found, { from, to: from + length }, 10), 'what was just asked for serves').toBe(true)
  }
})

test('a pan over a whole view and back asks for few windows, and for no other on its way back', () => {
  const there = Array.from({ length: 400 }, (_, n) => 1_772_000_000_000 + n * 3)
  const out = new Set(names(there, 1200, 1))
  const back = names([...there].reverse(), 1200, 1)
  expect(out.size).toBeLessThanOrEqual(3)
  expect(back.every((name) => out.has(name))).toBe(true)
})

test('small zooms keep the window; another power of two does not', () => {
  expect(resolution(5)).toBe(4)
  expect(resolution(0.25)).toBe(1)
  const held = windowAround({ from: 0, to: 5000 }, 5)
  expect(serves(held, { from: 400, to: 4800 }, 4.4)).toBe(true)
  expect(serves(held, { from: 400, to: 4000 }, 3.6)).toBe(false)
})

test('the next window is asked for before the edge of this one is in sight', () => {
  const held = windowAround({ from: 0, to: 1000 }, 1)
  let at = 0
  while (serves(held, { from: at, to: at + 1000 }, 1)) at += 10
  expect(at, 'the reader may pan a good part of a view first').toBeGreaterThan(200)
  expect(at + 1000, 'and the edge is not in sight yet').toBeLessThan(held.to_ms)
  expect(windowAround({ from: at, to: at + 1000 }, 1)).not.toEqual(held)
})

test('a tight window holds what is seen and hardly more, and a wide one does not serve in its place', () => {
  for (let n = 0; n < 500; n++) {
    const length = Math.round(1.03 ** (n % 400) * 20)
    const seen = { from: 1_772_000_000_000 + n * 977, to: 1_772_000_000_000 + n * 977 + length }
    const found = windowAround(seen, 10, true)
    expect(found.from_ms).toBeLessThanOrEqual(seen.from)
    expect(found.to_ms).toBeGreaterThanOrEqual(seen.to)
    expect((found.to_ms - found.from_ms) / length).toBeLessThanOrEqual(1.6)
    expect(serves(found, seen, 10, true)).toBe(true)
    expect(serves(windowAround(seen, 10), seen, 10, true)).toBe(false)
  }
})
