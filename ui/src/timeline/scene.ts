// What is drawn of the lanes at a scale: marks as spots, links between them, bars where ordinary marks touch, brackets over
// one instant, and the few labels that fit. Pure: no canvas, no colours.

import type { TimelineCopy, TimelineEvent, TimelineMark } from '../wire/wire'
import { jobRow } from './jobscene'
import { fit } from './labels'
import { laneRow } from './lanescene'
import type { Row } from './rows'
import type { TimeScale } from './scale'

/** Shapes of looks, Marks of the timeline. */
export type Shape =
  | 'happened' | 'news' | 'live' | 'failed' | 'partly' | 'again' | 'older' | 'seen' | 'differs'
  | 'answered' | 'replayed' | 'lost' | 'wait' | 'refused' | 'sending' | 'not_sent'
  | 'test_happened' | 'test' | 'aside' | 'sheet' | 'bar' | 'bar_happened' | 'crowd' | 'key_end'

/** One mark on the screen; everything that can be pointed at, chosen and spoken of. */
export interface Spot {
  key: string
  row: number
  x: number
  y: number
  /** Width of a bar. */
  wide: number
  /** Height of a column; 0 of all else. */
  high: number
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
/** This many step aside; more than that would no longer stand near their instant. */
export const ASIDE_MOST = 4
/** This far outside the view marks are still placed, so that their links and labels are right, pixels. */
export const RIM = 120

/** The key of an event's spot. */
export const eventKey = (event: string, end: 'happened' | 'arrived'): string => `event:${event}:${end}`

/** A spot with nothing out of the ordinary about it. */
export function spotOf(key: string, row: number, x: number, y: number, shape: Shape, ms: number, mark: TimelineMark | null): Spot {
  return { key, row, x, y, wide: 0, high: 0, shape, ms, mark, copy: null, count: 1, until: ms, other: null }
}

/** The scene of one row, which is the `at`th. Its spots are in order of their left edge. */
export function sceneOfRow(row: Row, at: number, stage: Stage): Scene {
  const scene: Scene = { spots: [], lines: [], labels: [], bands: [], brackets: [] }
  const wanted: Spot[] = []
  if (row.lane.kind === 'job') jobRow(row, at, stage, scene, wanted)
  else laneRow(row, at, stage, scene, wanted)
  fit(wanted, scene, stage)
  scene.spots.sort((a, b) => a.x - b.x)
  return scene
}

/** The scene of some rows by their places among all rows, in this order; of all of them if none are named. */
export function sceneOf(rows: readonly Row[], stage: Stage, places: Iterable<number> = rows.keys()): Scene {
  const scene: Scene = { spots: [], lines: [], labels: [], bands: [], brackets: [] }
  for (const at of places) {
    const row = rows[at]
    if (!row) continue
    const part = sceneOfRow(row, at, stage)
    for (const one of part.spots) scene.spots.push(one)
    for (const one of part.lines) scene.lines.push(one)
    for (const one of part.labels) scene.labels.push(one)
    for (const one of part.bands) scene.bands.push(one)
    for (const one of part.brackets) scene.brackets.push(one)
  }
  return scene
}
