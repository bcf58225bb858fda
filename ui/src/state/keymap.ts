// Every key of the screens, once: the handlers ask this table what was pressed, and the list of keys is drawn from it.
// Widgets that follow a pattern of the web (a calendar, a row of choices) keep their arrows to themselves.

/** Where a key works; also the headings of the list of keys, in this order. */
export type KeyGroup = 'everywhere' | 'timeline' | 'lists' | 'posts' | 'why' | 'test'

interface KeyRow {
  group: KeyGroup
  /** Chords, such as `Ctrl+K` or `ArrowUp`; `Ctrl` is also the command key of a Mac. */
  chords: readonly string[]
  /** Chords that do the same and need no place in the list of keys. */
  also?: readonly string[]
  /** True for a key that the list of keys leaves out: it is for people who look into the program itself. */
  unlisted?: true
}

/** The table. Words for each row stand in `words/keys.ts`. */
export const KEYMAP = {
  'go.screen': { group: 'everywhere', chords: ['1', '2', '3', '4', '5', '6', '7', '8', '9'] },
  'go.settings': { group: 'everywhere', chords: ['Ctrl+,'] },
  'go.palette': { group: 'everywhere', chords: ['Ctrl+K'] },
  'go.region': { group: 'everywhere', chords: ['F6', 'Shift+F6'] },
  zone: { group: 'everywhere', chords: ['Z'] },
  why: { group: 'everywhere', chords: ['W'] },
  keys: { group: 'everywhere', chords: ['?'] },
  frames: { group: 'everywhere', chords: ['Shift+F9'], unlisted: true },
  leave: { group: 'everywhere', chords: ['Escape'] },
  'timeline.beside': { group: 'timeline', chords: ['ArrowLeft', 'ArrowRight'] },
  'timeline.across': { group: 'timeline', chords: ['ArrowUp', 'ArrowDown'] },
  'timeline.other': { group: 'timeline', chords: ['Alt+ArrowLeft', 'Alt+ArrowRight'] },
  'timeline.nearer': { group: 'timeline', chords: ['+'], also: ['='] },
  'timeline.farther': { group: 'timeline', chords: ['-'] },
  'timeline.fit': { group: 'timeline', chords: ['0'] },
  'timeline.follow': { group: 'timeline', chords: ['F'] },
  'timeline.time': { group: 'timeline', chords: ['G'] },
  'timeline.list': { group: 'timeline', chords: ['L'] },
  'timeline.enter': { group: 'timeline', chords: ['Enter'] },
  'list.step': { group: 'lists', chords: ['ArrowUp', 'ArrowDown'] },
  'list.second': { group: 'lists', chords: ['Shift+ArrowUp', 'Shift+ArrowDown'] },
  'list.page': { group: 'lists', chords: ['PageUp', 'PageDown'] },
  'list.ends': { group: 'lists', chords: ['Home', 'End'] },
  'list.open': { group: 'lists', chords: ['ArrowRight', 'ArrowLeft'] },
  'list.enter': { group: 'lists', chords: ['Enter'] },
  'events.time': { group: 'lists', chords: ['G'] },
  'events.compare': { group: 'lists', chords: ['D'] },
  'posts.compose': { group: 'posts', chords: ['C'] },
  'posts.ask': { group: 'posts', chords: ['A'] },
  'posts.again': { group: 'posts', chords: ['P'] },
  'posts.send': { group: 'posts', chords: ['Ctrl+Enter'] },
  'why.next': { group: 'why', chords: [','] },
  'why.back': { group: 'why', chords: ['Backspace'] },
  'why.save': { group: 'why', chords: ['Ctrl+S'] },
  'test.fire': { group: 'test', chords: ['Ctrl+Enter'] },
} as const satisfies Record<string, KeyRow>

/** A row of the table. */
export type KeyId = keyof typeof KEYMAP

/** The part of a keyboard event that says which keys are down. */
export type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** The chord of a row that this event is, as it stands in the table; null if it is none of them. */
export function chordOf(event: Press, id: KeyId): string | null {
  const row: KeyRow = KEYMAP[id]
  if (row.chords.some((chord) => fits(event, chord))) return row.chords.find((chord) => fits(event, chord)) ?? null
  return row.also?.some((chord) => fits(event, chord)) ? (row.chords[0] ?? null) : null
}

function fits(event: Press, chord: string): boolean {
  const parts = chord === '+' ? ['+'] : chord.split('+')
  const key = parts.at(-1) ?? ''
  const held = (name: string): boolean => parts.slice(0, -1).includes(name)
  if (held('Ctrl') !== (event.ctrlKey || event.metaKey) || held('Alt') !== event.altKey) return false
  // A sign or a letter may need Shift on this keyboard or come with Caps Lock; a named key says whether it wants it.
  if (key.length === 1) return event.key.toLowerCase() === key.toLowerCase()
  return event.key === key && held('Shift') === event.shiftKey
}

/** The event that the first chord of a row makes, for a menu that does what a key does. */
export function eventOf(id: KeyId): KeyboardEvent {
  const parts = KEYMAP[id].chords[0].split('+')
  const key = parts.at(-1) ?? ''
  return new KeyboardEvent('keydown', { key: key.length === 1 ? key.toLowerCase() : key, ctrlKey: parts.includes('Ctrl'), cancelable: true })
}

const SIGNS: Record<string, string> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  '-': '−',
  Escape: 'Esc',
}

/** A chord as people read it. */
export function chordText(chord: string): string {
  if (chord === '+') return '+'
  const parts = chord.split('+')
  return parts.map((part) => SIGNS[part] ?? part).join(' ')
}

/** All chords of a row as people read them; what several chords hold down together is said once. */
export function keyText(id: KeyId, chords: readonly string[] = KEYMAP[id].chords): string {
  const texts = chords.map(chordText)
  const held = texts[0]?.includes(' ') ? texts[0].slice(0, texts[0].lastIndexOf(' ') + 1) : ''
  return texts.map((text, i) => (i > 0 && held !== '' && text.startsWith(held) ? text.slice(held.length) : text)).join(' ')
}
