// The axis: round times of the zone that is shown, with the day where it begins.

import type { Clockface } from '../state/times'
import type { TimeScale } from './scale'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500,
  SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND, 15 * SECOND, 30 * SECOND,
  MINUTE, 2 * MINUTE, 5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE,
  HOUR, 2 * HOUR, 3 * HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 14 * DAY, 28 * DAY,
]
/** Least distance of two labels, pixels. */
const APART = 84

/** Room that a label takes, pixels. */
const ROOM = 54

/** One tick. */
export interface Tick {
  x: number
  ms: number
  /** The time; null on a line without words. */
  label: string | null
}

/** The whole axis. */
export interface Axis {
  ticks: Tick[]
  /** Where a day is named: at the left edge, and where the next begins. */
  days: { x: number; label: string }[]
}

/** Milliseconds by which a zone is ahead of UTC at an instant. */
export function offset(face: Clockface, ms: number): number {
  const second = Math.floor(ms / SECOND) * SECOND
  return Date.parse(`${face.date(second)}T${face.time(second)}Z`) - second
}

/** The axis over `width` pixels. Nothing stands inside a fold, and no two labels touch. */
export function axisOf(scale: TimeScale, width: number, face: Clockface): Axis {
  const { msPerPx } = scale.view
  const step = STEPS.find((s) => s / msPerPx >= APART) ?? 28 * DAY
  const ticks: Tick[] = []
  const days: Axis['days'] = []
  const folds = scale.foldsBetween(0, width)
  let from = scale.ms(0)
  let lastLabel = -APART
  const named = (ms: number): string => `${face.day(ms)}`
  days.push({ x: 6, label: named(from) })
  let day = face.date(from)
  for (const fold of [...folds, null]) {
    const to = fold ? fold.from : scale.ms(width)
    const ahead = offset(face, from)
    for (let ms = Math.ceil((from + ahead) / step) * step - ahead; ms <= to; ms += step) {
      const x = scale.x(ms)
      // A label stands to the right of its tick, and never over the fold that follows.
      const shown = x - lastLabel >= APART - 24 && x < width - 30 && (!fold || scale.x(fold.from) - x > ROOM)
      if (shown) lastLabel = x
      ticks.push({ x, ms, label: shown ? labelOf(face, ms, step) : null })
    }
    from = fold ? fold.to : to
    const next = face.date(Math.min(from, to + DAY * 400))
    if (fold && next !== day) {
      days.push({ x: scale.x(fold.to) + 6, label: named(fold.to) })
      day = next
    }
  }
  for (const tick of ticks) {
    const date = face.date(tick.ms)
    const near = days.some((d) => Math.abs(d.x - tick.x) < 70)
    if (date !== day && tick.x > 0 && !near && days.every((d) => d.label !== named(tick.ms))) {
      days.push({ x: tick.x + 4, label: named(tick.ms) })
    }
  }
  // Where the ticks are days themselves, they need no second name.
  return { ticks, days: step < DAY ? days : [] }
}

function labelOf(face: Clockface, ms: number, step: number): string {
  if (step < SECOND) return face.exact(ms)
  if (step < MINUTE) return face.time(ms)
  return step < DAY ? face.short(ms) : face.day(ms)
}
