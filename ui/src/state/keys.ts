// Keys that work everywhere. Single letters can be switched off and never work inside a field.

/** What a key of the frame asks for. */
export type FrameKey =
  | { kind: 'screen'; screen: string }
  | { kind: 'zone' }
  | { kind: 'keys' }
  | { kind: 'region'; back: boolean }

/** True if the event comes from where people type. */
export function typing(event: KeyboardEvent): boolean {
  const at = event.target
  if (!(at instanceof HTMLElement)) return false
  return at.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(at.tagName)
}

/** True if a plain letter, digit or sign may act: allowed, not in a field, no dialog over the page, no modifier held. */
export function plainKey(event: KeyboardEvent, letters: boolean): boolean {
  const held = event.ctrlKey || event.metaKey || event.altKey
  return letters && !held && !typing(event) && !document.querySelector('dialog[open]')
}

/** What a key means to the frame; null if nothing. */
export function frameKey(event: KeyboardEvent, screens: readonly string[], letters: boolean): FrameKey | null {
  if (event.defaultPrevented) return null
  if (event.key === 'F6') return { kind: 'region', back: event.shiftKey }
  if (event.key === ',' && (event.ctrlKey || event.metaKey)) return { kind: 'screen', screen: 'settings' }
  if (!plainKey(event, letters)) return null
  const screen = /^[1-9]$/.test(event.key) ? screens.filter((s) => s !== 'settings')[Number(event.key) - 1] : undefined
  if (screen) return { kind: 'screen', screen }
  if (event.key === '?') return { kind: 'keys' }
  if (event.key === 'z' || event.key === 'Z') return { kind: 'zone' }
  return null
}
