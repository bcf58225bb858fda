import { expect, test } from 'vitest'

import { fit, fitting } from './match'

test.each([
  ['', 'Timeline', true],
  ['time', 'Timeline', true],
  ['line', 'Timeline', true],
  ['go tim', 'Timeline, go', true],
  ['zone utc', 'Times in UTC, zone', true],
  ['posts', 'Events', false],
  ['events x', 'Events', false],
])('%j fits %j: %s', (words, text, fits) => expect(fit(words, text) > 0).toBe(fits))

test('a word at the beginning goes before one within', () => {
  const offer = (title: string) => ({ key: title, title, run: () => undefined })
  const titles = fitting('post', [offer('Compose'), offer('Repost'), offer('New post'), offer('Posts')]).map((o) => o.title)
  expect(titles).toEqual(['Posts', 'New post', 'Repost'])
})
