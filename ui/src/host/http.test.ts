import { afterEach, expect, test, vi } from 'vitest'

import { httpHost } from './http'
import { Trouble } from './host'

const answering = (body: string, status = 200) =>
  vi.stubGlobal('fetch', vi.fn(async () => new Response(body, { status })))

afterEach(() => vi.unstubAllGlobals())

test('a call posts its arguments by its name', async () => {
  answering('{"rows":[],"next":null}')
  expect(await httpHost().call('events', { limit: 5 })).toEqual({ rows: [], next: null })
  expect(fetch).toHaveBeenCalledWith('/call/events', expect.objectContaining({ method: 'POST', body: '{"limit":5}' }))
})

test.each([
  ['{"code":"refused","message":"Its key is gone."}', 409, 'refused', 'Its key is gone.'],
  ['{"odd":1}', 500, 'internal', /does not understand/],
  ['<html>', 200, 'unreachable', /does not answer/],
])('an answer %s (%d) is a trouble with a sentence', async (body, status, code, message) => {
  answering(body, status)
  const trouble = await httpHost().call('status', {}).catch((cause: unknown) => cause)
  expect(trouble).toBeInstanceOf(Trouble)
  expect((trouble as Trouble).code).toBe(code)
  expect((trouble as Trouble).message).toMatch(message)
})
