import { expect, test } from 'vitest'

import { laidOut } from './payload'

test('JSON is indented and nothing else', () => {
  expect(laidOut('{"id":"ev_1","n":[1,2],"none":{},"post":{"text":"a, {b}: \\"c\\""}}')).toBe(
    [
      '{',
      '  "id": "ev_1",',
      '  "n": [',
      '    1,',
      '    2',
      '  ],',
      '  "none": {},',
      '  "post": {',
      '    "text": "a, {b}: \\"c\\""',
      '  }',
      '}',
    ].join('\n'),
  )
})

test('digits, doubled fields and their order are kept', () => {
  const shown = laidOut('{"b":12345678901234567890,"1":0.10,"a":1,"a":2}')
  expect(shown).toBe('{\n  "b": 12345678901234567890,\n  "1": 0.10,\n  "a": 1,\n  "a": 2\n}')
})

test('a string that ends like a bracket does not glue what follows', () => {
  expect(laidOut('["{","x"]')).toBe('[\n  "{",\n  "x"\n]')
})

test('what is no JSON stays as it came', () => {
  expect(laidOut('id=1&event=x\n')).toBe('id=1&event=x\n')
})
