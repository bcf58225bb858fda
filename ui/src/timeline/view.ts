// Moving over time: pan, zoom, fit, follow. Pure; each move gives a new view.

import { foldsAt } from './folds'
import { type Fold, type Stretch, TimeScale, type View } from './scale'
import type { TimelineMap } from '../wire/wire'

/** Closest look: a millisecond is four pixels. */
const CLOSEST = 0.25
/** Farthest look: a pixel is six hours. */
const FARTHEST = 6 * 3_600_000
/** Where the present stands while the picture follows it, and where it stands again after it has come to the edge. */
const REST = 0.8
const EDGE = 0.96

/** The folds of the last view: a pan keeps them. */
let last: { quiet: readonly Stretch[]; msPerPx: number; folds: readonly Fold[] } | null = null

/** The scale of a view, with the quiet folded as its zoom wants it. */
export function scaleOf(view: View, quiet: readonly Stretch[]): TimeScale {
  if (last?.quiet !== quiet || last.msPerPx !== view.msPerPx) last = { quiet, msPerPx: view.msPerPx, folds: foldsAt(quiet, view.msPerPx) }
  return new TimeScale(view, last.folds)
}

/** The present is never quiet: a rest that goes on ends this long before it at most. */
const MINUTES = 2 * 60_000

/** The span from the first mark to the rest after the last one; none of a log without marks. */
export function spanOf(map: Pick<TimelineMap, 'from_ms' | 'to_ms' | 'quiet'>): Stretch | null {
  if (map.from_ms === null) return null
  const rest = map.quiet.find((one) => one.to_ms >= map.to_ms - MINUTES)
  return { from: map.from_ms, to: Math.max(map.from_ms + 1000, rest?.from_ms ?? map.to_ms) }
}

/** The view moved by some pixels; anchored anew at the middle, so that folds that come and go leave the middle in place. */
export function panned(scale: TimeScale, dx: number, width: number): View {
  return { ms: scale.ms(width / 2 - dx), x: width / 2, msPerPx: scale.view.msPerPx }
}

/** Zoomed by a factor (above 1: closer) with the instant at `x` staying there. */
export function zoomed(scale: TimeScale, factor: number, x: number): View {
  const msPerPx = Math.min(FARTHEST, Math.max(CLOSEST, scale.view.msPerPx / factor))
  return { ms: scale.ms(x), x, msPerPx }
}

/** The closest look that shows a span between two pixels. */
export function fitted(span: Stretch, quiet: readonly Stretch[], left: number, right: number): View {
  const room = Math.max(1, right - left)
  const inside = quiet.filter((q) => q.to > span.from && q.from < span.to)
  let low = Math.log(CLOSEST)
  let high = Math.log(FARTHEST)
  for (let n = 0; n < 40; n++) {
    const middle = (low + high) / 2
    const scale = scaleOf({ ms: span.from, x: 0, msPerPx: Math.exp(middle) }, inside)
    if (scale.x(span.to) > room) low = middle
    else high = middle
  }
  return { ms: span.from, x: left, msPerPx: Math.exp(high) }
}

/** The view that follows the present: as it is, until the present comes to the edge or is out of sight. */
export function following(scale: TimeScale, now: number, width: number): View {
  const x = scale.x(now)
  if (x >= 0 && x <= width * EDGE) return scale.view
  return { ms: now, x: width * REST, msPerPx: scale.view.msPerPx }
}

/** The view with an instant in sight; as it is if it is there already. */
export function revealing(scale: TimeScale, ms: number, width: number): View {
  const x = scale.x(ms)
  const rim = Math.min(48, width / 4)
  if (x >= rim && x <= width - rim) return scale.view
  return { ms, x: x < rim ? width / 3 : (width * 2) / 3, msPerPx: scale.view.msPerPx }
}

/** The first look: all of a short log, the last minutes of a long one; the present stands at its place of rest. */
export function firstView(first: number | null, now: number, quiet: readonly Stretch[], width: number): View {
  const QUARTER = 15 * 60_000
  const whole = fitted({ from: Math.min(first ?? now, now - 60_000), to: now }, quiet, 24, width * REST)
  const least = QUARTER / (width * REST)
  return { ms: now, x: width * REST, msPerPx: Math.min(whole.msPerPx, Math.max(least, 1)) }
}
