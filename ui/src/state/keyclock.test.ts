import { expect, test } from 'vitest'

import { inBand, keyLeft, keyPhase, ringArc } from './keyclock'

const HOUR = 3_600_000
const life = { since: 0, byItself: 20 * HOUR, ends: 24 * HOUR }

test.each([
  [0, 'alive'],
  [20 * HOUR - 1, 'alive'],
  [20 * HOUR, 'by_hand'],
  [24 * HOUR - 15 * 60_000, 'close'],
  [24 * HOUR, 'close'],
  [24 * HOUR + 1, 'gone'],
])('at %d ms a key is %s', (now, phase) => {
  expect(keyPhase(life, now)).toBe(phase)
})

test('the ring empties over the life and never turns below nothing', () => {
  expect(keyLeft(life, 0)).toBe(1)
  expect(keyLeft(life, 18 * HOUR)).toBe(0.25)
  expect(keyLeft(life, 30 * HOUR)).toBe(0)
  expect(keyLeft({ since: 5, byItself: 5, ends: 5 }, 5), 'a life of no length is over').toBe(0)
  expect(inBand(life, 6 * HOUR)).toBe(0.25)
})

test('a full ring is drawn whole', () => {
  expect(ringArc(1)).toContain('7 12.5')
  expect(ringArc(0.9999)).toBe(ringArc(1))
})

test('a quarter left ends at three, three quarters take the long way round', () => {
  expect(ringArc(0.25)).toBe('M7 1.5A5.5 5.5 0 0 1 12.50 7.00')
  expect(ringArc(0.75)).toBe('M7 1.5A5.5 5.5 0 1 1 1.50 7.00')
})
