// Ordinary marks of a track that touch become one bar with a count; where the core has counted already, the run becomes
// columns that say when there were how many, and which share of them came again, came late or failed. Pure.

import type { TimelineLane, TimelineMark } from '../wire/wire'
import { type Column, heightOf } from './columns'
import type { Row } from './rows'
import { MERGE, type Scene, type Spot, spotOf, type Stage } from './scene'
import { resolution } from './window'

/** The core counts a crowded lane in bins of so many of the resolution it was asked for. */
const BINS = 8
/** Height of the fullest column of a lane, pixels: what happened stands above it. */
const ROOM = 16
/** A column's foot stands so far below its track, pixels. */
const FOOT = 5

type Bin = Extract<TimelineMark, { kind: 'bin' }>

/** Merges the ordinary spots of a row; `wanted` gets those that want their count beside them. */
export function merge(plain: readonly Spot[], row: Row, at: number, scene: Scene, stage: Stage, wanted: Spot[]): void {
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
      if (n > from) close(spots.slice(from, n), track, row, at, scene, stage, wanted, merged)
      if (one) edge = one.x + one.wide
      from = n
    }
  }
  // The links of merged messages would be a smear: the bars stand above each other instead.
  if (merged.size > 0) scene.lines = scene.lines.filter((line) => !merged.has(line.of))
}

/** One run of spots that touch: itself if it is one message, columns if it was counted, else a bar. */
function close(run: readonly Spot[], track: 'arrived' | 'happened', row: Row, at: number, scene: Scene, stage: Stage, wanted: Spot[], merged: Set<string>): void {
  const [first] = run
  if (!first) return
  if (run.length === 1 && first.count === 1) {
    scene.spots.push(first)
    return
  }
  for (const one of run) if (run.length > 1 && one.mark?.kind === 'event') merged.add(one.mark.event)
  const whole = barOf(run, track, row, at)
  if (run.some((one) => one.mark?.kind === 'bin' && one.count > 1)) {
    for (const column of columns(run, row, at, stage)) scene.spots.push(column)
  } else scene.spots.push(whole)
  if (track === 'arrived') wanted.push(whole)
}

/** One bar for a run. */
function barOf(run: readonly Spot[], track: 'arrived' | 'happened', row: Row, at: number): Spot {
  const [first] = run as [Spot]
  const mark = binOf(run)
  const bar = spotOf(`bar:${row.lane.id}:${track}:${first.ms}`, at, first.x, first.y, track === 'arrived' ? 'bar' : 'bar_happened', first.ms, mark)
  bar.wide = run.reduce((edge, one) => Math.max(edge, one.x + one.wide), first.x) - first.x
  bar.until = mark.to_ms
  bar.count = mark.count
  return bar
}

/** A run as one bin, with its shares. */
function binOf(run: readonly Spot[]): Bin {
  const bin: Bin = { kind: 'bin', from_ms: run[0]?.ms ?? 0, to_ms: run[0]?.until ?? 0, count: 0, late: 0, again: 0, failed: 0 }
  for (const one of run) {
    bin.to_ms = Math.max(bin.to_ms, one.until)
    bin.count += one.count
    if (one.mark?.kind !== 'bin') continue
    bin.late += one.mark.late
    bin.again += one.mark.again
    bin.failed += one.mark.failed
  }
  return bin
}

/** The columns of a run: one a bin of the core's, and what is told apart there goes into the bin of its time. */
function columns(run: readonly Spot[], row: Row, at: number, stage: Stage): Spot[] {
  const bin = BINS * resolution(stage.scale.view.msPerPx)
  const most = mostOf(row.lane)
  const parts = new Map<number, Spot[]>()
  for (const one of run) {
    const place = Math.floor(one.ms / bin)
    const part = parts.get(place)
    if (part) part.push(one)
    else parts.set(place, [one])
  }
  return [...parts].map(([place, part]) => {
    const [first] = part as [Spot]
    const own = part.length === 1 && first.mark?.kind === 'bin' ? first.mark : binOf(part)
    const column = spotOf(part.length === 1 ? first.key : `bar:${row.lane.id}:arrived:${first.ms}`, at, stage.scale.x(place * bin), row.arrived, 'crowd', own.from_ms, own)
    const edge = Math.max(stage.scale.x((place + 1) * bin), stage.scale.x(own.to_ms))
    column.wide = Math.max(2, edge - column.x)
    column.until = own.to_ms
    column.count = own.count
    column.high = heightOf(own.count, most, ROOM)
    return column
  })
}

/** A crowd spot as its column. */
export function columnOf(spot: Spot): Column {
  const { x, wide, y, high, count, mark } = spot
  const shares = mark?.kind === 'bin' ? mark : { again: 0, late: 0, failed: 0 }
  return { x, wide, y: y + FOOT, high, count, again: shares.again, late: shares.late, failed: shares.failed }
}

/** The fullest bin of a lane as it was read, so that heights stay while one pans. */
const known = new WeakMap<TimelineLane, number>()

function mostOf(lane: TimelineLane): number {
  const found = known.get(lane)
  if (found !== undefined) return found
  let most = 1
  for (const mark of lane.marks) if (mark.kind === 'bin') most = Math.max(most, mark.count)
  known.set(lane, most)
  return most
}
