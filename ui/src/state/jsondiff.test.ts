import { expect, test } from 'vitest'

import { compared, comparedHeaders, type DiffLine } from './jsondiff'

const shown = (lines: readonly DiffLine[]): string[] =>
  lines.map((l) => `${{ both: ' ', first: '-', second: '+' }[l.side]}${'  '.repeat(l.depth)}${l.text}`)

test('the order of fields does not count, at any depth', () => {
  const diff = compared('{"a":1,"b":{"x":[1,{"p":1,"q":2}],"y":"é"}}', '{"b":{"y":"\\u00e9","x":[1,{"q":2,"p":1}]},"a":1}')
  expect(diff.differs).toBe(0)
  expect(diff.lines.every((l) => l.side === 'both')).toBe(true)
})

test('one field that differs is one place, its two lines beside each other', () => {
  const diff = compared('{"id":"e","platform":{"name":"x","url":null},"n":1}', '{"n":1,"platform":{"url":"u","name":"x"},"id":"e"}')
  expect(diff.differs).toBe(1)
  expect(shown(diff.lines)).toEqual([
    ' {',
    '   "id": "e",',
    '   "platform": {',
    '     "name": "x",',
    '-    "url": null',
    '+    "url": "u"',
    '   },',
    '   "n": 1',
    ' }',
  ])
})

test('fields and entries that only one has are told, and the rest still meets', () => {
  const diff = compared('{"a":[{"id":1},{"id":2},{"id":3}],"gone":true}', '{"a":[{"id":1},{"id":3},{"id":4}],"new":{"x":1}}')
  expect(diff.differs).toBe(4)
  expect(shown(diff.lines).filter((l) => !l.startsWith(' ')).map((l) => l.replace(/ +/g, ' '))).toEqual([
    '- {',
    '- "id": 2',
    '- },',
    '+ {',
    '+ "id": 4',
    '+ }',
    '- "gone": true,',
    '+ "new": {',
    '+ "x": 1',
    '+ }',
  ])
})

test('numbers keep their digits and doubled fields stay', () => {
  expect(compared('{"n":12345678901234567890}', '{"n":12345678901234567891}').differs).toBe(1)
  const diff = compared('{"a":1,"a":2}', '{"a":1,"a":3}')
  expect(shown(diff.lines)).toEqual([' {', '   "a": 1,', '-  "a": 2', '+  "a": 3', ' }'])
})

test('what is no JSON is compared by its lines', () => {
  const diff = compared('one\ntwo\nthree', 'one\n2\nthree')
  expect(diff).toMatchObject({ differs: 1, fields: false })
  expect(shown(diff.lines)).toEqual([' one', '-two', '+2', ' three'])
  expect(compared('['.repeat(300) + ']'.repeat(300), '[]').fields).toBe(false)
})

test('headers meet by their names', () => {
  const diff = comparedHeaders(
    [
      ['X-B', '1'],
      ['x-a', 'same'],
      ['X-Gone', 'g'],
    ],
    [
      ['X-A', 'same'],
      ['x-b', '2'],
    ],
  )
  expect(diff.differs).toBe(2)
  expect(shown(diff.lines)).toEqual([' x-a: same', '-x-b: 1', '+x-b: 2', '-x-gone: g'])
})
