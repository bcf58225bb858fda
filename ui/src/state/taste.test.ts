import { expect, test } from 'vitest'

import { readTaste } from './taste'

test.each([
  [null, 'system', 'local', true],
  ['not json', 'system', 'local', true],
  ['{"theme":"plaid","zone":3}', 'system', 'local', true],
  ['{"theme":"dark","zone":"utc","letters":false}', 'dark', 'utc', false],
])('what was kept as %s is read as %s, %s, %s', (kept, theme, zone, letters) => {
  expect(readTaste(kept)).toEqual({ theme, zone, letters })
})
