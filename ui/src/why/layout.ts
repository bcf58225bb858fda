// Where the boxes and lines of a case stand. Pure: six columns from job to arrivals, rows as the core gives them.

import type { CaseChange, CaseChain, CaseKind, CaseNode, CaseTie } from '../wire/wire'

const COLUMNS: CaseKind[] = ['job', 'key', 'try', 'post', 'message', 'arrivals']
/** Between two columns, pixels. */
const GAP = 28
/** Narrowest column. */
const NARROWEST = 112
const HEAD = 26
const BOX = 48
const PITCH = 66

/** A node with its place. */
export interface Box {
  node: CaseNode
  x: number
  y: number
  width: number
  height: number
}

/** A tie as a path. */
export interface Line {
  key: string
  d: string
  tie: CaseTie
  /** Where an arrow's head points, if there is one. */
  head: { x: number; y: number } | null
}

/** A change of words beside the two tries it lies between. */
export interface Note {
  key: string
  x: number
  y: number
  from: number
  to: number
  change: CaseChange
}

/** The picture of a case. */
export interface Layout {
  width: number
  height: number
  /** Left edge of each column. */
  columns: number[]
  boxes: Box[]
  lines: Line[]
  notes: Note[]
}

/** Places everything in `width` pixels, or in more if that is too narrow; `grown` is how much larger text is than usual. */
export function layoutOf(chain: CaseChain, width: number, grown = 1): Layout {
  const gap = GAP
  const wide = Math.max(NARROWEST * grown, Math.floor((width - gap * (COLUMNS.length - 1)) / COLUMNS.length))
  const columns = COLUMNS.map((_, n) => n * (wide + gap))
  const boxes = chain.nodes.map((node) => ({
    node,
    x: columns[COLUMNS.indexOf(node.kind)] ?? 0,
    y: (HEAD + node.row * PITCH) * grown,
    width: wide,
    height: BOX * grown,
  }))
  const of = new Map(boxes.map((box) => [box.node.id, box]))
  const lines: Line[] = []
  for (const link of chain.links) {
    const [from, to] = [of.get(link.from), of.get(link.to)]
    if (from && to) lines.push({ key: `${link.from} ${link.to}`, tie: link.tie, ...path(from, to, link.tie) })
  }
  const notes: Note[] = []
  for (const change of chain.changes) {
    const [from, to] = [of.get(change.from), of.get(change.to)]
    if (!from || !to || to.y <= from.y) continue
    notes.push({ key: `${change.from} ${change.to}`, x: from.x + 20, y: to.y - 6 * grown, from: from.y + from.height, to: to.y, change })
  }
  const total = wide * COLUMNS.length + gap * (COLUMNS.length - 1)
  return { width: total, height: (HEAD + Math.max(1, chain.rows) * PITCH - (PITCH - BOX)) * grown + 2, columns, boxes, lines, notes }
}

/** A straight line inside a row, an elbow between rows. What was there already is pointed at. */
function path(from: Box, to: Box, tie: CaseTie): { d: string; head: { x: number; y: number } | null } {
  const [x1, x2] = [from.x + from.width, to.x]
  // Below the middle, so that it is not taken for the line of the row itself.
  const low = tie === 'already_there' ? to.height * 0.25 : 0
  const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2 + low]
  const head = tie === 'already_there' ? { x: x2, y: y2 } : null
  const end = head ? x2 - 5 : x2
  if (from.y === to.y && low === 0) return { d: `M${x1} ${y1}H${end}`, head }
  const bend = Math.round(x2 - GAP / 2)
  const turn = Math.min(6, Math.abs(y2 - y1) / 2)
  const down = y2 > y1 ? 1 : -1
  if (turn < 1) return { d: `M${x1} ${y1}H${end}`, head }
  return {
    d: `M${x1} ${y1}H${bend - turn}Q${bend} ${y1} ${bend} ${y1 + down * turn}V${y2 - down * turn}Q${bend} ${y2} ${bend + turn} ${y2}H${end}`,
    head,
  }
}

/** One mark of the strip that shows a case over time. */
export interface Tick {
  node: CaseNode
  x: number
  ms: number
}

/** A rest between two marks that is long enough to be named. */
export interface Rest {
  from: number
  to: number
  ms: number
}

/** Marks nearer than this are drawn apart by it. */
const NEAREST = 14
/** A rest wider than this bears its length. */
const NAMED = 56

/**
 * Tries, messages and arrivals over time between two edges. Order and rests are kept, lengths are not: a rest is as wide
 * as the logarithm of its length, so that seconds and days are seen side by side.
 */
export function stripOf(nodes: readonly CaseNode[], left: number, right: number): { ticks: Tick[]; rests: Rest[] } {
  const told = nodes.filter((node) => (node.kind === 'try' || node.kind === 'message' || node.kind === 'arrivals') && node.at_ms !== null)
  const all = told.map((node) => ({ node, ms: node.at_ms ?? 0, x: left })).sort((a, b) => a.ms - b.ms)
  const gaps = all.slice(1).map((tick, n) => tick.ms - (all[n]?.ms ?? tick.ms))
  const weights = gaps.map((ms) => Math.log1p(ms / 1000))
  const sum = weights.reduce((a, b) => a + b, 0)
  const free = Math.max(0, right - left - NEAREST * gaps.length)
  const rests: Rest[] = []
  let x = left
  all.forEach((tick, n) => {
    if (n > 0) {
      const from = x
      const step = gaps.length * NEAREST > right - left ? (right - left) / gaps.length : NEAREST
      x += step + (sum > 0 ? (free * (weights[n - 1] ?? 0)) / sum : 0)
      if (x - from > NAMED) rests.push({ from, to: x, ms: gaps[n - 1] ?? 0 })
    }
    tick.x = Math.round(x)
  })
  return { ticks: all, rests }
}
