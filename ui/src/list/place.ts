// A place in a list by time, for sources whose rows stand in order of time. It is a cursor like the core's own, and is told
// from those by its form.

const FORM = /^at:(-?\d+)$/

/** The cursor of a page that begins with what came at an instant or last before it. */
export const placeAt = (ms: number): string => `at:${Math.floor(ms)}`

/** The instant that a cursor of this form names; null for the core's own. */
export function instantOf(after: string | null): number | null {
  const found = after === null ? null : FORM.exec(after)
  return found ? Number(found[1]) : null
}
