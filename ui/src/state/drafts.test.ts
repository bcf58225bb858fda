import { expect, test } from 'vitest'

import { emptyDraft } from './draft'
import { Drafts, isBlank } from './drafts'

const empty = emptyDraft('UTC', 'f0')
const draft = {
  ...emptyDraft('Europe/London', 'f1'),
  content: 'Doors open at 9.',
  targets: [{ platform: 'linkedin', account: 'ac_li_04' }],
  later: true,
  date: '2031-10-26',
  time: '01:30',
  picked: { scheduled_for: '2031-10-26T00:30:00', timezone: 'UTC', text: '01:30 BST' },
  media: 'https://a.example/1.jpg',
}

function shelf(): Storage {
  const held = new Map<string, string>()
  return {
    getItem: (name: string) => held.get(name) ?? null,
    setItem: (name: string, value: string) => void held.set(name, value),
    removeItem: (name: string) => void held.delete(name),
    get length() {
      return held.size
    },
  } as Storage
}

test('a draft comes back whole, and leaves with its sending', () => {
  const held = shelf()
  const drafts = new Drafts('/data/harbour', held)
  drafts.open = ''
  drafts.keep('', draft)
  const after = new Drafts('/data/harbour', held)
  expect([after.open, after.get('', empty)]).toEqual(['', draft])
  after.drop('')
  expect([after.open, after.get('', empty), held.length]).toEqual([null, null, 0])
})

test('no log sees the draft of another one, nor one post that of another', () => {
  const held = shelf()
  new Drafts('/data/harbour', held).keep('', draft)
  expect(new Drafts('/data/orchard', held).get('', empty)).toBeNull()
  const drafts = new Drafts('/data/harbour', held)
  drafts.keep('{"content":"Hay"}', { ...draft, content: 'Hay!' })
  drafts.open = '{"content":"Hay"}'
  drafts.drop('')
  expect([drafts.open, drafts.get('{"content":"Hay"}', empty)?.content]).toEqual(['{"content":"Hay"}', 'Hay!'])
})

test.each(['', 'no json', '[]', '{"open":7,"drafts":[]}', '{"drafts":{"":null}}', '{"drafts":{"":{"content":7,"targets":[{}],"picked":{"text":1}}}}'])(
  'what is odd on the shelf is the empty form: %s',
  (text) => {
    const held = shelf()
    held.setItem('reprise.drafts log', text)
    const drafts = new Drafts('log', held)
    expect(drafts.open).toBeNull()
    expect([null, empty]).toContainEqual(drafts.get('', empty))
  },
)

test('a page that may not store has no drafts and fails nothing', () => {
  const closed = { getItem: () => null, setItem: () => expect.unreachable(), removeItem: () => undefined } as unknown as Storage
  const full = { ...closed, setItem: () => { throw new Error('full') } }
  for (const held of [null, full]) {
    const drafts = new Drafts('log', held)
    drafts.keep('', draft)
    drafts.open = ''
    expect(drafts.get('', empty)).toBeNull()
  }
})

test('only what was written into is kept', () => {
  expect(isBlank(emptyDraft('Europe/London', 'f2'))).toBe(true)
  for (const part of [{ content: 'x' }, { targets: draft.targets }, { later: true }, { media: 'x' }]) {
    expect(isBlank({ ...empty, ...part })).toBe(false)
  }
})
