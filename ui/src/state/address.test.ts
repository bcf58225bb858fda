import { expect, test } from 'vitest'

import { placeOf, readAddress, writeAddress } from './address'

test('an address that was written is read again', () => {
  const address = writeAddress('events', { event: 'ev 1&2', only: 'late', text: 'ä?#', none: null, empty: '' })
  const { screen, query } = readAddress(address)
  expect(screen).toBe('events')
  expect([...query]).toEqual([
    ['event', 'ev 1&2'],
    ['only', 'late'],
    ['text', 'ä?#'],
  ])
})

test.each([
  ['', '', 0],
  ['#/', '', 0],
  ['#/posts', 'posts', 0],
  ['#/posts?', 'posts', 0],
  ['#/posts?job=a&job=b', 'posts', 1],
])('%s is %s with %d', (hash, screen, count) => {
  expect(readAddress(hash).screen).toBe(screen)
  expect(readAddress(hash).query.size).toBe(count)
})

test('things have places', () => {
  expect(placeOf.job('job_1', 2)).toBe('#/posts?job=job_1&try=2')
  expect(placeOf.arrival(7)).toBe('#/events?seq=7')
})
