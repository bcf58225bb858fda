// When a key may act. Which key does what stands in `keymap.ts`.

import { chordOf, type KeyId, KEYMAP } from './keymap'

/** True if the event comes from where people type. */
export function typing(event: KeyboardEvent): boolean {
  const at = event.target
  if (!(at instanceof HTMLElement)) return false
  return at.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(at.tagName)
}

/** True if a plain letter, digit or sign may act: allowed, not in a field, no dialog over the page, no modifier held. */
export function plainKey(event: KeyboardEvent, letters: boolean): boolean {
  const held = event.ctrlKey || event.metaKey || event.altKey
  return letters && !held && !typing(event) && !underDialog()
}

/** True while a dialog lies over the page. */
export function underDialog(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/**
 * The chord of `id` that was pressed, if it may act now; null if not. Single letters, digits and signs act only where
 * `letters` says so, never in a field and never under a dialog; what somebody else has answered already is no key.
 */
export function pressed(event: KeyboardEvent, id: KeyId, letters: boolean): string | null {
  if (event.defaultPrevented) return null
  const chord = chordOf(event, id)
  if (chord === null) return null
  const plain = KEYMAP[id].chords.some((one) => one.length === 1)
  return plain && !plainKey(event, letters) ? null : chord
}
