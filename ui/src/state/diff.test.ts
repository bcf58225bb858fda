import { expect, test } from 'vitest'

import { apart, pieces } from './diff'

test('what differs is found character by character', () => {
  expect(pieces('Tickets are live.', 'Tickets are live!')).toEqual([
    { kind: 'same', text: 'Tickets are live' },
    { kind: 'gone', text: '.' },
    { kind: 'new', text: '!' },
  ])
})

test.each([
  ['Tickets are live.', 'Tickets are live.', 0],
  ['Tickets are live', 'Tickets are live.', 1],
  ['Tickets are live.', 'Tickets are live!', 1],
  ['Doors open at 9.', 'Doors open at 10.', 2],
  ['', 'Hay', 3],
  ['One family 👨‍👩‍👧', 'One family 👨‍👩‍👧‍👦', 1],
])('%j and %j differ by %d', (one, other, n) => {
  expect(apart(one, other)).toBe(n)
  expect(apart(other, one)).toBe(n)
})
