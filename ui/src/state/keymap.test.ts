import { expect, test } from 'vitest'

import { chordOf, type KeyId, KEYMAP, keyText, type Press } from './keymap'

const press = (key: string, held: Partial<Press> = {}): Press => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...held,
})

test.each<[Press, KeyId, string | null]>([
  [press('k', { ctrlKey: true }), 'go.palette', 'Ctrl+K'],
  [press('k', { metaKey: true }), 'go.palette', 'Ctrl+K'],
  [press('k'), 'go.palette', null],
  [press('?', { shiftKey: true }), 'keys', '?'],
  [press('F6', { shiftKey: true }), 'go.region', 'Shift+F6'],
  [press('F6'), 'go.region', 'F6'],
  [press('='), 'timeline.nearer', '+'],
  [press('+', { shiftKey: true }), 'timeline.nearer', '+'],
  [press('+', { ctrlKey: true }), 'timeline.nearer', null],
  [press('ArrowLeft', { altKey: true }), 'timeline.beside', null],
  [press('ArrowLeft', { altKey: true }), 'timeline.other', 'Alt+ArrowLeft'],
  [press('c', { ctrlKey: true }), 'posts.compose', null],
  [press('C', { shiftKey: true }), 'posts.compose', 'C'],
])('%j is %s: %s', (event, id, chord) => expect(chordOf(event, id)).toBe(chord))

test('chords are written as people read them', () => {
  expect(keyText('timeline.other')).toBe('Alt ← →')
  expect(keyText('go.region')).toBe('F6 Shift F6')
  expect(keyText('timeline.nearer')).toBe('+')
  expect(keyText('go.settings')).toBe('Ctrl ,')
})

const SOURCES = import.meta.glob<string>(['../**/*.svelte', '../**/*.ts', '!../**/*.test.ts'], { query: '?raw', import: 'default', eager: true })

test('every key of the table is asked for by a handler', () => {
  const all = Object.entries(SOURCES).filter(([file]) => !/\/(keymap|keys)\.ts$/.test(file))
  for (const id of Object.keys(KEYMAP)) {
    const asked = all.some(([, text]) => new RegExp(`(chordOf|pressed)\\(event, '${id}'|\\bis\\('${id}'|\\bid: '${id}'`).test(text))
    expect(asked, `nothing answers to ${id}`).toBe(true)
  }
})

/** Parts that follow a pattern of the web for their own arrows, Enter and Escape, and so name no key of the table. */
const OWN = /\/(DayPicker|Segments|ComposeAccounts|SavedFilters|TimelineMap|TimelineTable|Palette)\.svelte$|\/keymap\.ts$/

test('no key is answered that the table does not name', () => {
  const strays = Object.entries(SOURCES).filter(([file, text]) => !OWN.test(file) && /event\.key\b/.test(text))
  expect(strays.map(([file]) => file), 'give the key a row in state/keymap.ts').toEqual([])
})
