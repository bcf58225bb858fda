// Ordinary marks of a track that touch become one bar with a count. Pure.

import type { TimelineMark } from '../wire/wire'
import type { Row } from './rows'
import { MERGE, type Scene, type Spot, spotOf } from './scene'

/** Merges the ordinary spots of a row; `wanted` gets the bars that want their count beside them. */
export function merge(plain: readonly Spot[], row: Row, at: number, scene: Scene, wanted: Spot[]): void {
  const merged = new Set<string>()
  for (const track of ['arrived', 'happened'] as const) {
    const spots = plain.filter((s) => (s.y === row.arrived) === (track === 'arrived')).sort((a, b) => a.x - b.x)
    let from = 0
    let edge = -Infinity
    for (let n = 0; n <= spots.length; n++) {
      const one = spots[n]
      if (one && (n === from || one.x - edge < MERGE)) {
        edge = Math.max(edge, one.x + one.wide)
        continue
      }
      if (n > from) close(spots.slice(from, n), track, row, at, scene, wanted, merged)
      if (one) edge = one.x + one.wide
      from = n
    }
  }
  // The links of merged messages would be a smear: the bars stand above each other instead.
  if (merged.size > 0) scene.lines = scene.lines.filter((line) => !merged.has(line.of))
}

/** One run of spots that touch: itself if it is one, else a bar. */
function close(run: readonly Spot[], track: 'arrived' | 'happened', row: Row, at: number, scene: Scene, wanted: Spot[], merged: Set<string>): void {
  const [first] = run
  if (!first) return
  if (run.length === 1) {
    scene.spots.push(first)
    if (first.count > 1) wanted.push(first)
    return
  }
  let count = 0
  let until = first.until
  let edge = first.x
  const parts = { late: 0, again: 0, failed: 0 }
  for (const one of run) {
    if (one.mark?.kind === 'bin') {
      parts.late += one.mark.late
      parts.again += one.mark.again
      parts.failed += one.mark.failed
    }
    count += one.count
    until = Math.max(until, one.until)
    edge = Math.max(edge, one.x + one.wide)
    if (one.mark?.kind === 'event') merged.add(one.mark.event)
  }
  const mark: TimelineMark = { kind: 'bin', from_ms: first.ms, to_ms: until, count, ...parts }
  const bar = spotOf(`bar:${row.lane.id}:${track}:${first.ms}`, at, first.x, first.y, track === 'arrived' ? 'bar' : 'bar_happened', first.ms, mark)
  bar.wide = edge - first.x
  bar.until = until
  bar.count = count
  scene.spots.push(bar)
  if (track === 'arrived') wanted.push(bar)
}
