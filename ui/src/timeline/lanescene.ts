// What is drawn of a lane of messages: marks on two tracks, links between them, rings for what came again, brackets over one
// instant. What is ordinary and crowded is merged in `crowd`. Pure.

import type { TimelineEvent, TimelineLane } from '../wire/wire'
import { merge } from './crowd'
import type { Row } from './rows'
import { ASIDE_MOST, eventKey, type Line, RIM, type Scene, type Shape, type Spot, spotOf, type Stage } from './scene'

/** Rings that would cover each other step aside by this, pixels. */
const STEP = 9.5
/** Messages of one instant step aside by half of this, pixels. */
const APART = 11

function shapeOf(event: TimelineEvent): Shape {
  if (event.test) return 'test'
  if (!event.name.startsWith('post.') || event.flags.includes('unknown_event')) return 'news'
  const shapes: Record<string, Shape> = { published: 'live', failed: 'failed', partial: 'partly' }
  return shapes[event.status ?? ''] ?? 'news'
}

/** True if a message may become part of a bar: nothing about it is out of the ordinary. */
function ordinary(event: TimelineEvent): boolean {
  return (
    event.order === 'in_order' && event.arrivals === 1 && event.status !== 'failed' && !event.stale && event.flags.length === 0
  )
}

/** Places a lane's marks; `wanted` gets the spots that want words beside them. */
export function laneRow(row: Row, at: number, stage: Stage, scene: Scene, wanted: Spot[]): void {
  const { scale } = stage
  const ties = tiesOf(row.lane)
  const plain: Spot[] = []
  const inSight = (x: number): boolean => x >= -RIM && x <= stage.width + RIM
  for (const mark of row.lane.marks) {
    if (mark.kind === 'event') message(mark, ties, row, at, stage, scene, plain, wanted)
    else if (mark.kind === 'bin') {
      const x = scale.x(mark.from_ms)
      const until = scale.x(mark.to_ms)
      if (until < -RIM || x > stage.width + RIM) continue
      const bar = spotOf(`bin:${row.lane.id}:${mark.from_ms}`, at, x, row.arrived, mark.count > 1 ? 'bar' : 'news', mark.from_ms, mark)
      bar.count = mark.count
      bar.until = mark.to_ms
      bar.wide = Math.max(0, until - x)
      plain.push(bar)
    } else if (mark.kind === 'older') {
      const x = scale.x(mark.at_ms)
      if (!inSight(x)) continue
      const found = spotOf(`older:${mark.event}:${row.lane.id}`, at, x, row.arrived, 'older', mark.at_ms, mark)
      found.other = eventKey(mark.event, 'arrived')
      scene.spots.push(found)
      wanted.push(found)
    } else if (mark.kind === 'seen') {
      const x = scale.x(mark.at_ms)
      if (inSight(x)) scene.spots.push(spotOf(`seen:${row.lane.id}:${mark.at_ms}`, at, x, row.arrived, mark.differs ? 'differs' : 'seen', mark.at_ms, mark))
    } else if (mark.kind === 'aside') {
      const x = scale.x(mark.at_ms)
      if (!inSight(x)) continue
      const found = spotOf(`aside:${mark.seq}`, at, x, row.arrived, mark.standing === 'unreadable' ? 'sheet' : 'aside', mark.at_ms, mark)
      scene.spots.push(found)
      wanted.push(found)
    }
  }
  merge(plain, row, at, scene, stage, wanted)
  brackets(row, ties, scene, stage)
}

/** A message: where it happened, where it arrived, the link between them, and what came again of it. */
function message(mark: Extract<TimelineLane['marks'][number], { kind: 'event' }>, ties: Ties, row: Row, at: number, stage: Stage, scene: Scene, plain: Spot[], wanted: Spot[]): void {
  const { scale } = stage
  const x = scale.x(mark.arrived_ms)
  const y = row.arrived
  const links = mark.happened_ms !== null && row.happened !== null
  const hx = links ? scale.x(mark.happened_ms ?? 0) + (ties.steps.get(mark.event) ?? 0) : x
  const last = mark.copies.at(-1)
  const end = last ? Math.max(x, scale.x(last.at_ms)) : x
  if (Math.max(end, hx) < -RIM || Math.min(x, hx) > stage.width + RIM) return
  const arrived = spotOf(eventKey(mark.event, 'arrived'), at, x, y, shapeOf(mark), mark.arrived_ms, mark)
  const usual = ordinary(mark)
  if (links) {
    const happened = spotOf(eventKey(mark.event, 'happened'), at, hx, row.happened ?? y, mark.test ? 'test_happened' : 'happened', mark.happened_ms ?? 0, mark)
    arrived.other = happened.key
    happened.other = arrived.key
    const kind = mark.test ? 'test' : mark.order === 'late' ? 'late' : 'link'
    const line: Line = { x1: hx, y1: happened.y, x2: x, y2: y, kind, of: mark.event }
    ;(usual ? plain : scene.spots).push(happened)
    scene.lines.push(line)
    if (kind === 'late') lateFigure(line, mark, scene, stage)
  }
  ;(usual ? plain : scene.spots).push(arrived)
  wanted.push(copies(mark, arrived, at, scene, stage))
}

/** Rings for what came again, joined to the first; the last spot of the event. */
function copies(mark: TimelineEvent, first: Spot, at: number, scene: Scene, stage: Stage): Spot {
  let tail = first
  let moved = 0
  for (const copy of mark.copies) {
    let x = stage.scale.x(copy.at_ms)
    if (x - tail.x < STEP) {
      if (moved >= ASIDE_MOST) continue
      x = tail.x + STEP
      moved += 1
    } else moved = 0
    const ring = spotOf(`copy:${copy.seq}`, at, x, first.y, 'again', copy.at_ms, first.mark)
    ring.copy = copy
    ring.other = first.key
    scene.lines.push({ x1: tail.x, y1: first.y, x2: x, y2: first.y, kind: 'join', of: mark.event })
    scene.spots.push(ring)
    tail = ring
  }
  return tail
}

/** Messages of one instant: how far each steps aside, and how far the bracket over each group reaches. */
interface Ties {
  steps: ReadonlyMap<string, number>
  groups: readonly { ms: number; reach: number }[]
}

/** One a lane as it was read: nothing of it depends on where one looks. */
const known = new WeakMap<TimelineLane, Ties>()

function tiesOf(lane: TimelineLane): Ties {
  const found = known.get(lane)
  if (found) return found
  const tied = new Map<string, TimelineEvent[]>()
  for (const mark of lane.marks) {
    if (mark.kind !== 'event' || mark.tie === null) continue
    const group = tied.get(mark.tie)
    if (group) group.push(mark)
    else tied.set(mark.tie, [mark])
  }
  const steps = new Map<string, number>()
  const groups: { ms: number; reach: number }[] = []
  for (const group of tied.values()) {
    if (group.length < 2) continue
    group.forEach((event, n) => steps.set(event.event, (n - (group.length - 1) / 2) * APART))
    const [first] = group
    if (first && first.happened_ms !== null) groups.push({ ms: first.happened_ms, reach: ((group.length - 1) / 2) * APART + 6.5 })
  }
  const made: Ties = { steps, groups }
  known.set(lane, made)
  return made
}

function brackets(row: Row, ties: Ties, scene: Scene, stage: Stage): void {
  if (row.happened === null) return
  for (const { ms, reach } of ties.groups) {
    const x = stage.scale.x(ms)
    if (x + reach < -RIM || x - reach > stage.width + RIM) continue
    scene.brackets.push({ x1: x - reach, x2: x + reach, y: row.happened - 7 })
    scene.labels.push({ x: x + reach + 4, y: row.happened - 4, text: stage.words.tie, align: 'left', tone: 'wait', strong: '' })
  }
}

function lateFigure(line: Line, mark: TimelineEvent, scene: Scene, stage: Stage): void {
  if (mark.late_by_ms === null) return
  // No figure is narrower than this; a shorter link is not measured.
  if (Math.abs(line.x2 - line.x1) < 60) return
  const text = stage.words.late(mark.late_by_ms)
  if (Math.abs(line.x2 - line.x1) < stage.measure(text) + 24) return
  const x = (line.x1 + line.x2) / 2
  scene.labels.push({ x, y: (line.y1 + line.y2) / 2 - 5, text, align: 'middle', tone: 'wait', strong: '' })
}
