import { expect, test } from 'vitest'

import { Clockface } from '../state/times'
import { caseNode } from '../testing/why'
import type { CaseLink, CaseNode } from '../wire/wire'
import { named, namesOf, postLines, quoted } from './named'

const face = new Clockface('UTC')
const AT = Date.UTC(2026, 2, 2, 9, 0, 31)
const caseOf = (posts: string[], nodes: CaseNode[], links: CaseLink[] = []) => ({ posts, chain: { nodes, links, changes: [], rows: 1, left_out: 0 } })
const said = (sentence: string, names: ReturnType<typeof namesOf>): string => named(sentence, names).map((part) => part.text).join('')

const two = caseOf(['po_1', 'po_12'], [
    caseNode({ id: 'a', kind: 'post', name: 'po_1', text: 'Doors open at nine', at_ms: AT }),
    caseNode({ id: 'b', kind: 'post', name: 'po_12', text: 'Doors open at nine!', at_ms: AT + 60_000 }),
    caseNode({ id: 'm', kind: 'message', name: 'ev_1', platform: 'linkedin', status: 'published' }),
    caseNode({ id: 'j', kind: 'job', name: 'job-1', at_ms: AT }),
    caseNode({ id: 'k', kind: 'job', name: 'job-2', at_ms: AT }),
    caseNode({ id: 'l', kind: 'job', name: 'job-3', at_ms: AT + 5_000 }),
], [{ from: 'a', to: 'm', tie: 'recorded' }])

test('posts of a case are told by their order, and a name at the beginning has a capital', () => {
  const names = namesOf(two, face, AT)
  expect(said('po_1 was called failed. The same words made po_12. po_12 is live, and xpo_1 is none.', names)).toBe(
    'The first post was called failed. The same words made the second post. The second post is live, and xpo_1 is none.',
  )
  expect(named('Open po_12.', names)[1]).toEqual({ text: 'the second post', id: 'po_12', href: '#/events?post=po_12' })
})

test('a job is told by its time, unless that tells two jobs alike', () => {
  const names = namesOf(two, face, AT)
  expect(said('One job, job-3, went out; job-1 and job-2 did not.', names)).toBe('One job, the job of 09:00:36 UTC, went out; job-1 and job-2 did not.')
})

test('the one post of a case is told by its words, and stays an id where nobody knows them', () => {
  const one = caseOf(['po_1'], two.chain.nodes.filter((node) => node.name === 'po_1' || node.name === 'ev_1'))
  expect(said('There is one post, po_1. Its message ev_1 came 3 times.', namesOf(one, face, AT))).toBe(
    'There is one post, “Doors open at nine”. Its message “LinkedIn: live” came 3 times.',
  )
  expect(namesOf(caseOf(['po_9'], []), face, AT).size).toBe(0)
})

test('each post of several has a line with time, place and words', () => {
  expect(postLines(two, face, AT).map((line) => line.says)).toEqual([
    '09:00:31 UTC, LinkedIn, “Doors open at nine”',
    '09:01:31 UTC, “Doors open at nine!”',
  ])
  expect(quoted('The lantern walk starts at six, bring a candle and a friend', 40)).toBe('“The lantern walk starts at six, bring a …”')
})
