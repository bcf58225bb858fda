import { expect, test } from 'vitest'

import { TableHost } from '../testing/host'
import { Desk } from './desk.svelte'
import { asks, keptOf, SavedFilters } from './savedfilters.svelte'

const filter = { id: 'f', name: 'Late hay', terms: { only: 'late', text: 'hay' } }

test('a filter asks for just what is chosen', () => {
  expect(keptOf({ only: 'late', text: 'hay' })).toEqual(filter.terms)
  expect(asks(filter, { only: 'late', text: 'hay' })).toBe(true)
  expect(asks(filter, { only: 'late' })).toBe(false)
  expect(asks(filter, { only: 'late', text: 'hay', platform: 'x' })).toBe(false)
  expect(asks(filter, { only: 'late', text: 'rye' })).toBe(false)
})

test('saving, renaming and deleting take what the core answers; a no is told', async () => {
  const host = new TableHost({
    saved_filters: () => ({ filters: [filter] }),
    save_filter: ({ id, name, terms }) => ({ filters: [{ ...filter, name, ...(id ? {} : { terms: terms ?? {} }) }] }),
  })
  const desk = new Desk(host)
  const saved = new SavedFilters(desk)
  await saved.pull()
  expect(saved.filters).toEqual([filter])
  expect(await saved.rename('f', 'Hay')).toBe(true)
  expect(host.argsOf('save_filter')).toEqual([{ id: 'f', name: 'Hay' }])
  expect(saved.filters[0]?.name).toBe('Hay')
  expect(await saved.save('Rye', { text: 'rye' })).toBe(true)
  expect(host.argsOf('save_filter')[1]).toEqual({ name: 'Rye', terms: { text: 'rye' } })
  expect(await saved.remove(filter), 'there is no answer to it').toBe(false)
  expect(desk.trouble).toContain('delete_filter')
  expect(saved.filters[0]?.name).toBe('Rye')
})
