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

/**
 * The window around what is seen, with at least half of it more on either side. A tight one has hardly more than what is seen:
 * where more posts are active than are asked for, those beside the view would take the places of those in it.
 */
export function windowAround(seen: Stretch, msPerPx: number, tight = false): Window {
  const step = tight ? Math.max(1, grid(seen.to - seen.from) / 8) : grid(seen.to - seen.from)
  const more = tight ? 0 : step
  const down = (ms: number): number => Math.floor(ms / step) * step
  return { from_ms: down(seen.from - more), to_ms: -down(-(seen.to + more)), resolution_ms: resolution(msPerPx) }
}

/**
 * True while a window serves what is seen, with room to its edges: less than that, and the next one is asked for before its
 * edge comes into sight.
 */
export function serves(window: Window, seen: Stretch, msPerPx: number, tight = false): boolean {
  if (window.resolution_ms !== resolution(msPerPx)) return false
  const length = seen.to - seen.from
  if (tight && window.to_ms - window.from_ms > length * 1.6 + 2) return false
  const room = tight ? 0 : grid(length) / 2
  return seen.from - room >= window.from_ms && seen.to + room <= window.to_ms
}

/** What windows are told apart by. */
export function nameOf(window: Window, groups: number): string {
  return `${window.from_ms} ${window.to_ms} ${window.resolution_ms} ${groups}`
}
