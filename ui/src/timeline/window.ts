// Which part of the log is asked for around what one looks at: a span rounded to powers of two, beginning and ending where
// others do, too, so that a pan and its way back ask for the same few parts. Pure.

import type { Stretch } from './scale'

/** A part of the log as it is asked for. */
export interface Window {
  from_ms: number
  to_ms: number
  resolution_ms: number
}

/** Milliseconds a pixel as the core is asked for them: a power of two, at most the zoom's own. */
export function resolution(msPerPx: number): number {
  return Math.max(1, 2 ** Math.floor(Math.log2(msPerPx)))
}

/** Half of the span, rounded up to a power of two: windows begin and end at multiples of it. */
function grid(length: number): number {
  return Math.max(1, 2 ** Math.ceil(Math.log2(Math.max(2, length))) / 2)
}

/** The window around what is seen, with at least half of it more on either side. */
export function windowAround(seen: Stretch, msPerPx: number): Window {
  const step = grid(seen.to - seen.from)
  const down = (ms: number): number => Math.floor(ms / step) * step
  return { from_ms: down(seen.from - step), to_ms: -down(-(seen.to + step)), resolution_ms: resolution(msPerPx) }
}

/**
 * True while a window serves what is seen, with room to its edges: less than that, and the next one is asked for before its
 * edge comes into sight.
 */
export function serves(window: Window, seen: Stretch, msPerPx: number): boolean {
  if (window.resolution_ms !== resolution(msPerPx)) return false
  const room = grid(seen.to - seen.from) / 2
  return seen.from - room >= window.from_ms && seen.to + room <= window.to_ms
}

/** What windows are told apart by. */
export function nameOf(window: Window, groups: number): string {
  return `${window.from_ms} ${window.to_ms} ${window.resolution_ms} ${groups}`
}
