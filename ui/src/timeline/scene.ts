// What is drawn of the lanes at a scale: marks as spots, links between them, bars where ordinary marks touch, brackets over
// one instant, and the few labels that fit. Pure: no canvas, no colours.

import type { TimelineCopy, TimelineEvent, TimelineMark } from '../wire/wire'
import type { Row } from './rows'
import type { TimeScale } from './scale'

/** Shapes of looks, Marks of the timeline. */
export type Shape =
  | 'happened' | 'news' | 'live' | 'failed' | 'partly' | 'again' | 'older' | 'seen' | 'differs'
  | 'answered' | 'replayed' | 'lost' | 'wait' | 'refused' | 'sending' | 'not_sent'
  | 'test_happened' | 'test' | 'aside' | 'sheet' | 'bar' | 'bar_happened' | 'key_end'

/** One mark on the screen; everything that can be pointed at, chosen and spoken of. */
export interface Spot {
  key: string
  row: number
  x: number
  y: number
  /** Width of a bar. */
  wide: number
  shape: Shape
  ms: number
  /** What it stands for; null for the end of a key. */
  mark: TimelineMark | null
  copy: TimelineCopy | null
  /** How many messages a bar stands for, else 1. */
  count: number
  /** Until when a bar reaches. */
  until: number
  /** The spot at the other end of its link. */
  other: string | null
}

/** A line between two spots. */
export interface Line {
  x1: number
  y1: number
  x2: number
  y2: number
  kind: 'link' | 'late' | 'test' | 'join' | 'lost'
  /** The event or try it belongs to, for the selection. */
  of: string
}

/** A word beside a mark. */
export interface Label {
  x: number
  y: number
  text: string
  align: 'left' | 'right' | 'middle'
  tone: 'plain' | 'wait'
  /** Leading part in bold, such as `x3`. */
  strong: string
}

/** The life of a key on a row, pixels. */
export interface Band {
  row: number
  y: number
  since: number
  byHand: number
  close: number
  ends: number
}

/** A bracket over marks of one instant. */
export interface Bracket {
  x1: number
  x2: number
  y: number
}

/** Everything above the tracks. */
export interface Scene {
  spots: Spot[]
  lines: Line[]
  labels: Label[]
  bands: Band[]
  brackets: Bracket[]
}

/** Words that the picture needs; all of them live in words.ts. */
export interface SceneWords {
  event(event: TimelineEvent): string
  late(ms: number): string
  older: string
  tie: string
  aside(mark: TimelineMark): string
  /** How often one message came. */
  times(n: number): string
  /** How many messages a bar stands for. */
  many(n: number): string
  /** The life of a key, the fullest first. */
  key(byItself: number, ends: number): string[]
  gone: string
}

/** What a scene is made for. */
export interface Stage {
  scale: TimeScale
  width: number
  /** The present. */
  now: number
  words: SceneWords
  /** Width of a text, pixels. */
  measure(text: string): number
}

/** Marks nearer than this become one bar, pixels (looks, Marks). */
export const MERGE = 6
/** Rings and tries that would cover each other step aside by this, pixels. */
const STEP = 9.5
const TRY = 11
/** This many step aside; more than that would no longer stand near their instant. */
const ASIDE_MOST = 4
const TOO_CLOSE = 15 * 60_000
/** This far outside the view marks are still placed, so that their links and labels are right, pixels. */
const RIM = 120

/** The scene of some rows. */
export function sceneOf(rows: readonly Row[], stage: Stage): Scene {
  const scene = bare()
  rows.forEach((row, at) => {
    const part = bare()
    const wanted: Wanted[] = []
    if (row.lane.kind === 'job') jobRow(row, at, stage, part, wanted)
    else laneRow(row, at, stage, part, wanted)
    fit(wanted, part, stage)
    scene.spots.push(...part.spots)
    scene.lines.push(...part.lines)
    scene.labels.push(...part.labels)
    scene.bands.push(...part.bands)
    scene.brackets.push(...part.brackets)
  })
  return scene
}

function bare(): Scene {
  return { spots: [], lines: [], labels: [], bands: [], brackets: [] }
}

/** A label that wants a place beside a spot. */
interface Wanted {
  spot: Spot
  text: string
  strong: string
  tone: 'plain' | 'wait'
}

/** The key of an event's spot. */
export const eventKey = (event: string, end: 'happened' | 'arrived'): string => `event:${event}:${end}`

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

function laneRow(row: Row, at: number, stage: Stage, scene: Scene, wanted: Wanted[]): void {
  const { scale } = stage
  const ties = tieSteps(row.lane.marks)
  const plain: Spot[] = []
  for (const mark of row.lane.marks) {
    if (mark.kind === 'event') {
      const x = scale.x(mark.arrived_ms)
      const y = row.arrived
      const links = mark.happened_ms !== null && row.happened !== null
      const hx = links ? scale.x(mark.happened_ms ?? 0) + (ties.get(mark.event) ?? 0) : x
      const last = mark.copies.at(-1)
      const end = last ? Math.max(x, scale.x(last.at_ms)) : x
      if (Math.max(end, hx) < -RIM || Math.min(x, hx) > stage.width + RIM) continue
      const arrived = spot(eventKey(mark.event, 'arrived'), at, x, y, shapeOf(mark), mark.arrived_ms, mark)
      if (links) {
        const key = eventKey(mark.event, 'happened')
        arrived.other = key
        const happened = spot(key, at, hx, row.happened ?? y, mark.test ? 'test_happened' : 'happened', mark.happened_ms ?? 0, mark)
        happened.other = arrived.key
        const kind = mark.test ? 'test' : mark.order === 'late' ? 'late' : 'link'
        const line: Line = { x1: hx, y1: happened.y, x2: x, y2: y, kind, of: mark.event }
        if (ordinary(mark)) plain.push(arrived, happened)
        else scene.spots.push(happened)
        scene.lines.push(line)
        if (kind === 'late') lateFigure(line, mark, scene, stage)
      } else if (ordinary(mark)) plain.push(arrived)
      if (!ordinary(mark)) scene.spots.push(arrived)
      const tail = copies(mark, arrived, at, scene, stage)
      const says = mark.stale ? stage.words.older : stage.words.event(mark)
      const strong = mark.arrivals > 1 ? stage.words.times(mark.arrivals) : ''
      wanted.push({ spot: tail, text: says, strong, tone: 'plain' })
    } else if (mark.kind === 'bin') {
      const x = scale.x(mark.from_ms)
      const bar = spot(`bin:${row.lane.id}:${mark.from_ms}`, at, x, row.arrived, mark.count > 1 ? 'bar' : 'news', mark.from_ms, mark)
      bar.count = mark.count
      bar.until = mark.to_ms
      bar.wide = Math.max(0, scale.x(mark.to_ms) - x)
      plain.push(bar)
    } else if (mark.kind === 'older') {
      const key = `older:${mark.event}:${row.lane.id}`
      const found = spot(key, at, scale.x(mark.at_ms), row.arrived, 'older', mark.at_ms, mark)
      found.other = eventKey(mark.event, 'arrived')
      scene.spots.push(found)
      wanted.push({ spot: found, text: stage.words.older, strong: '', tone: 'plain' })
    } else if (mark.kind === 'seen') {
      const key = `seen:${row.lane.id}:${mark.at_ms}`
      scene.spots.push(spot(key, at, scale.x(mark.at_ms), row.arrived, mark.differs ? 'differs' : 'seen', mark.at_ms, mark))
    } else if (mark.kind === 'aside') {
      const shape = mark.standing === 'unreadable' ? 'sheet' : 'aside'
      const found = spot(`aside:${mark.seq}`, at, scale.x(mark.at_ms), row.arrived, shape, mark.at_ms, mark)
      scene.spots.push(found)
      wanted.push({ spot: found, text: stage.words.aside(mark), strong: '', tone: 'plain' })
    }
  }
  merge(plain, row, at, scene, stage, wanted)
  brackets(row, ties, scene, stage)
}

function spot(key: string, row: number, x: number, y: number, shape: Shape, ms: number, mark: TimelineMark | null): Spot {
  return { key, row, x, y, wide: 0, shape, ms, mark, copy: null, count: 1, until: ms, other: null }
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
    const key = `copy:${copy.seq}`
    const ring = spot(key, at, x, first.y, 'again', copy.at_ms, { kind: 'event', ...mark })
    ring.copy = copy
    ring.other = first.key
    scene.lines.push({ x1: tail.x, y1: first.y, x2: x, y2: first.y, kind: 'join', of: mark.event })
    scene.spots.push(ring)
    tail = ring
  }
  return tail
}

/** How far messages of one instant step aside: 5.5 px each, around their place. */
function tieSteps(marks: readonly TimelineMark[]): Map<string, number> {
  const groups = new Map<string, string[]>()
  for (const mark of marks) {
    if (mark.kind === 'event' && mark.tie !== null) groups.set(mark.tie, [...(groups.get(mark.tie) ?? []), mark.event])
  }
  const steps = new Map<string, number>()
  for (const group of groups.values()) {
    if (group.length < 2) continue
    group.forEach((event, n) => steps.set(event, (n - (group.length - 1) / 2) * 11))
  }
  return steps
}

function brackets(row: Row, ties: Map<string, number>, scene: Scene, stage: Stage): void {
  const done = new Set<string>()
  for (const mark of row.lane.marks) {
    if (mark.kind !== 'event' || mark.tie === null || mark.happened_ms === null || row.happened === null) continue
    if (!ties.has(mark.event) || done.has(mark.tie)) continue
    done.add(mark.tie)
    const reach = Math.max(...[...ties.values()].map(Math.abs)) + 6.5
    const x = stage.scale.x(mark.happened_ms)
    scene.brackets.push({ x1: x - reach, x2: x + reach, y: row.happened - 7 })
    scene.labels.push({ x: x + reach + 4, y: row.happened - 4, text: stage.words.tie, align: 'left', tone: 'wait', strong: '' })
  }
}

/** Ordinary marks of a track that touch become one bar with a count. */
function merge(plain: Spot[], row: Row, at: number, scene: Scene, stage: Stage, wanted: Wanted[]): void {
  const merged = new Set<string>()
  for (const track of ['arrived', 'happened'] as const) {
    const spots = plain.filter((s) => (s.y === row.arrived) === (track === 'arrived')).sort((a, b) => a.x - b.x)
    let cluster: Spot[] = []
    const close = (): void => {
      const [first] = cluster
      if (!first) return
      if (cluster.length === 1) {
        scene.spots.push(first)
        if (first.count > 1) wanted.push({ spot: first, text: stage.words.many(first.count), strong: '', tone: 'plain' })
      } else {
        const last = cluster.at(-1) ?? first
        const until = Math.max(...cluster.map((s) => s.until))
        const count = cluster.reduce((sum, s) => sum + s.count, 0)
        const bar = spot(`bar:${row.lane.id}:${track}:${first.ms}`, at, first.x, first.y, track === 'arrived' ? 'bar' : 'bar_happened', first.ms, {
          kind: 'bin',
          from_ms: first.ms,
          to_ms: until,
          count,
        })
        bar.wide = last.x + last.wide - first.x
        bar.until = until
        bar.count = count
        scene.spots.push(bar)
        if (track === 'arrived') wanted.push({ spot: bar, text: stage.words.many(count), strong: '', tone: 'plain' })
        for (const one of cluster) if (one.mark?.kind === 'event') merged.add(one.mark.event)
      }
      cluster = []
    }
    for (const one of spots) {
      const before = cluster.at(-1)
      if (before && one.x - (before.x + before.wide) >= MERGE) close()
      cluster.push(one)
    }
    close()
  }
  // The links of merged messages would be a smear: the bars stand above each other instead.
  if (merged.size > 0) scene.lines = scene.lines.filter((line) => !merged.has(line.of))
}

function lateFigure(line: Line, mark: TimelineEvent, scene: Scene, stage: Stage): void {
  if (mark.late_by_ms === null) return
  const text = stage.words.late(mark.late_by_ms)
  if (Math.abs(line.x2 - line.x1) < stage.measure(text) + 24) return
  const x = (line.x1 + line.x2) / 2
  scene.labels.push({ x, y: (line.y1 + line.y2) / 2 - 5, text, align: 'middle', tone: 'wait', strong: '' })
}

function jobRow(row: Row, at: number, stage: Stage, scene: Scene, wanted: Wanted[]): void {
  const { scale } = stage
  const job = row.lane.job
  const y = row.arrived
  let edge = -Infinity
  let moved = 0
  for (const mark of row.lane.marks) {
    if (mark.kind !== 'try') continue
    let x = scale.x(mark.at_ms)
    if (x < edge) {
      if (moved >= ASIDE_MOST) continue
      x = edge
      moved += 1
    } else moved = 0
    const found = spot(`try:${mark.job}:${mark.n}`, at, x + 5, y, mark.mark as Shape, mark.at_ms, mark)
    if (mark.mark === 'lost' && mark.end_ms !== null) {
      const end = Math.max(x + 18, scale.x(mark.end_ms))
      scene.lines.push({ x1: x + 10, y1: y, x2: end, y2: y, kind: 'lost', of: found.key })
    }
    scene.spots.push(found)
    edge = x + TRY
  }
  if (!job || job.key === null || !job.key_since || !job.key_expires) return
  const ends = job.key_expires.ms
  const self = job.origin === 'local' ? (job.safe_until?.ms ?? ends) : ends
  const band: Band = {
    row: at,
    y,
    since: Math.round(scale.x(job.key_since.ms)),
    byHand: Math.round(scale.x(Math.min(self, ends - TOO_CLOSE))),
    close: Math.round(scale.x(ends - TOO_CLOSE)),
    ends: Math.round(scale.x(ends)),
  }
  if (band.ends < -RIM || band.since > stage.width + RIM) return
  scene.bands.push(band)
  const end = spot(`key:${job.job}`, at, band.ends, y, 'key_end', ends, null)
  scene.spots.push(end)
  // The fullest words that fit between the tries and the next line: the present, the last hours, or the edge.
  const from = Math.max(edge === -Infinity ? band.since + 8 : edge + 6, 8)
  const now = scale.x(stage.now)
  const walls = [band.byHand, stage.width, now].filter((wall) => wall > from)
  const room = Math.min(...walls) - from - 6
  const says = stage.words.key(self, ends).find((text) => stage.measure(text) <= room)
  // Over strokes, words need paper around them.
  const tone = from >= Math.min(band.byHand, band.close) ? 'wait' : 'plain'
  if (says !== undefined) scene.labels.push({ x: from, y: y + 4, text: says, align: 'left', tone, strong: '' })
  const free = band.ends > 0 && band.ends + 40 < stage.width
  if (free) wanted.push({ spot: end, text: stage.words.gone, strong: '', tone: 'plain' })
}

/** Gives labels a place: right of their mark, else left of it, else none; the list twin has them all. */
function fit(wanted: Wanted[], row: Scene, stage: Stage): void {
  const placed = new Set(row.spots.map((s) => s.key))
  const taken = row.spots.map((s) => ({ y: s.y, from: s.x - 8, to: s.x + s.wide + 8 }))
  for (const { x1, x2, y1, y2 } of row.lines) {
    // A join lies on its track; a leaning link comes down to it along its second half.
    const near = y1 === y2 ? x1 : (x1 + x2) / 2
    taken.push({ y: y2, from: Math.min(near, x2), to: Math.max(near, x2) })
  }
  const now = stage.scale.x(stage.now)
  const free = (y: number, from: number, to: number): boolean =>
    from >= 4 && to <= stage.width - 4 && (to < now - 3 || from > now + 3) && taken.every((t) => t.y !== y || to < t.from || from > t.to)
  for (const { spot: at, text, strong, tone } of wanted) {
    if (!placed.has(at.key) || at.x < 0 || at.x > stage.width) continue
    const width = stage.measure(`${strong} ${text}`.trim())
    for (const align of ['left', 'right'] as const) {
      const from = align === 'left' ? at.x + at.wide + 9 : at.x - 9 - width
      if (!free(at.y, from, from + width)) continue
      taken.push({ y: at.y, from: from - 4, to: from + width + 4 })
      row.labels.push({ x: align === 'left' ? from : from + width, y: at.y + 4, text, align, tone, strong })
      break
    }
  }
}
