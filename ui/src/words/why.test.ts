import { expect, test } from 'vitest'

import { Clockface } from '../state/times'
import { caseChain, caseNode } from '../testing/why'
import { chainCounts, maskedPlace, nodeWords, shortId, why } from './why'

const face = new Clockface('UTC')
const said = (change: Parameters<typeof caseNode>[0]): string => {
  const { title, sub } = nodeWords(caseNode(change), face)
  return `${title}, ${sub}`
}

test.each([
  [{ mark: 'lost', at_ms: 0, until_ms: 30_000 }, 'No answer, none within 30 s'],
  [{ mark: 'lost', until_ms: null }, 'No answer, nobody knows'],
  [{ mark: 'refused', code: 409 }, 'Refused, already there'],
  [{ mark: 'refused', code: 400, at_ms: 0, until_ms: 400 }, 'Stopped, after 400 ms'],
  [{ mark: 'answered', at_ms: 0, until_ms: 800 }, 'Made a post, after 800 ms'],
  [{ kind: 'post', text: null, name: 'po_1' }, 'Words not known, po_1'],
  [{ kind: 'message', status: 'published', platform: 'linkedin', at_ms: 0 }, 'LinkedIn: live, Thu 00:00:00'],
  [{ kind: 'arrivals', n: 2, at_ms: 0, until_ms: 14_000 }, 'Came twice, last 14 s later'],
  [{ kind: 'arrivals', n: 1, at_ms: 0 }, 'Came once, Thu 00:00:00'],
  [{ kind: 'key', name: 'k', n: 1, until_ms: 86_400_000 }, 'k, ends Fri 00:00'],
  [{ kind: 'key', name: 'k', n: 3 }, 'k, yet another key'],
] as const)('a node %j is said as %s', (change, text) => expect(said(change)).toBe(text))

test('the picture is told by what is in it', () => {
  expect(chainCounts(caseChain().nodes)).toBe('1 job, 3 tries, 2 posts, 1 message, 2 arrivals')
})

test('changes, masked places and long ids are said in words', () => {
  expect(why.became('.', '!')).toBe('“.” became “!”')
  expect(why.became('', ' today')).toBe('“ today” was added')
  expect(maskedPlace({ kind: 'header authorization', places: 1, placeholders: [] })).toBe('Header authorization')
  expect(maskedPlace({ kind: 'password in an address', places: 1, placeholders: [] })).toBe('Password in an address')
  expect(shortId('5b0e1d7c-0000-4000-8000-0000000000aa')).toBe('5b0e1d7c-…00aa')
})
