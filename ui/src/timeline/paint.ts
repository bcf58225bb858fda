// Puts a scene on a canvas: ground first, then keys, links, marks and words, the selection and the axis on top. Marks of one
// shape are drawn together, since a change of colour costs more than a mark.

import { paintMark, SHAPES } from './marks'
import type { Palette } from './palette'
import { AXIS, type Row, type Sight } from './rows'
import type { Fold, Stretch, TimeScale } from './scale'
import type { Scene, Spot } from './scene'
import type { Axis } from './ticks'

/** Everything a frame shows. */
export interface Frame {
  scene: Scene
  rows: readonly Row[]
  /** Those of the rows that are in sight or near it. */
  sight: Sight
  scale: TimeScale
  axis: Axis
  gaps: readonly Stretch[]
  /** The present. */
  now: number
  width: number
  height: number
  /** How far the lanes are scrolled up. */
  scroll: number
  chosen: Spot | null
  hovered: string | null
  /** Words of the picture. */
  words: FrameWords
}

/** Words beside the scene's own. */
export interface FrameWords {
  now: string
  fold(length: number): [string, string]
  gap(length: number): [string, string]
  flag(ms: number): string
  happened: string
  arrived: string
}

type Pen = CanvasRenderingContext2D

/** Draws a whole frame. */
export function paint(pen: Pen, frame: Frame, ink: Palette): void {
  const { width, height, scroll } = frame
  pen.fillStyle = ink.paper
  pen.fillRect(0, 0, width, height)
  pen.textBaseline = 'alphabetic'
  pen.save()
  pen.beginPath()
  pen.rect(0, AXIS, width, height - AXIS)
  pen.clip()
  columns(pen, frame, ink, AXIS)
  pen.translate(0, AXIS - scroll)
  const seen = (y: number): boolean => y >= scroll - 60 && y <= scroll + height
  tracks(pen, frame, ink)
  keys(pen, frame, ink, seen)
  links(pen, frame, ink, seen)
  marks(pen, frame, ink, seen)
  labels(pen, frame, ink, seen)
  pen.restore()
  axis(pen, frame, ink)
  present(pen, frame, ink)
  flags(pen, frame, ink)
}

/** A whole pixel for a hairline. */
const crisp = (x: number): number => Math.floor(x) + 0.5

function columns(pen: Pen, frame: Frame, ink: Palette, top: number): void {
  const { scale, width, height } = frame
  pen.fillStyle = ink.sunk
  for (const fold of foldsInSight(frame)) pen.fillRect(Math.round(scale.x(fold.from)), top, fold.width, height)
  const ahead = Math.round(scale.x(frame.now))
  if (ahead < width) {
    pen.globalAlpha = 0.55
    pen.fillRect(Math.max(0, ahead), top, width, height)
    pen.globalAlpha = 1
  }
  const hatch = pattern(pen, ink.sunk, ink.lineStrong, 9, 1)
  for (const gap of gapsInSight(frame)) {
    const from = Math.round(scale.x(gap.from))
    const to = Math.round(scale.x(gap.to))
    if (to < 0 || from > width) continue
    pen.fillStyle = hatch
    pen.fillRect(from, top, Math.max(2, to - from), height)
  }
  pen.strokeStyle = ink.line
  pen.lineWidth = 1
  pen.beginPath()
  for (const tick of frame.axis.ticks) {
    if (tick.label === null || tick.x < 0 || tick.x > width) continue
    pen.moveTo(crisp(tick.x), top)
    pen.lineTo(crisp(tick.x), height)
  }
  pen.stroke()
  pen.strokeStyle = ink.lineStrong
  pen.setLineDash([3, 3])
  pen.beginPath()
  for (const fold of foldsInSight(frame)) {
    for (const x of [scale.x(fold.from), scale.x(fold.to)]) {
      pen.moveTo(crisp(x), top)
      pen.lineTo(crisp(x), height)
    }
  }
  pen.stroke()
  pen.setLineDash([])
}

const foldsInSight = (frame: Frame): readonly Fold[] => frame.scale.foldsBetween(0, frame.width)

/** Gaps of which something is in sight; most of a long log's are not. */
function gapsInSight({ gaps, scale, width }: Frame): readonly Stretch[] {
  const [from, to] = [scale.ms(0), scale.ms(width)]
  return gaps.filter((gap) => gap.to >= from && gap.from <= to)
}

function tracks(pen: Pen, frame: Frame, ink: Palette): void {
  const { rows, sight, scale, width, chosen } = frame
  const ahead = Math.min(width, Math.max(0, scale.x(frame.now)))
  const row = chosen ? rows[chosen.row] : undefined
  if (row) {
    pen.fillStyle = ink.accent
    pen.globalAlpha = 0.07
    pen.fillRect(0, row.top, width, row.height)
    pen.globalAlpha = 1
  }
  const lines = (colour: string, dash: number[], y: (row: Row) => number | null, to: number): void => {
    pen.strokeStyle = colour
    pen.setLineDash(dash)
    pen.beginPath()
    for (let n = sight.first; n < sight.end; n++) {
      const one = rows[n]
      const at = one ? y(one) : null
      if (at === null) continue
      pen.moveTo(0, at + 0.5)
      pen.lineTo(to, at + 0.5)
    }
    pen.stroke()
    pen.setLineDash([])
  }
  pen.lineWidth = 1
  lines(ink.lineStrong, [1, 3], (r) => r.happened, ahead)
  lines(ink.line, [], (r) => (r.lane.kind === 'job' ? null : r.arrived), ahead)
  lines(ink.lineStrong, [], (r) => (r.divided ? r.top - 5 : null), width)
}

function keys(pen: Pen, frame: Frame, ink: Palette, seen: (y: number) => boolean): void {
  const { width } = frame
  const hand = pattern(pen, ink.goodSoft, ink.good, 6, 1)
  const close = pattern(pen, ink.waitSoft, ink.wait, 5, 1.4)
  for (const band of frame.scene.bands) {
    if (!seen(band.y)) continue
    const part = (from: number, to: number, fill: string | CanvasPattern): void => {
      const [a, b] = [Math.max(-4, from), Math.min(width + 4, to)]
      if (b <= a) return
      pen.fillStyle = fill
      pen.fillRect(a, band.y - 9, b - a, 18)
    }
    part(band.since, band.byHand, ink.goodSoft)
    part(band.byHand, band.close, hand)
    part(band.close, band.ends, close)
    if (ink.forced) {
      pen.strokeStyle = ink.good
      pen.lineWidth = 1
      pen.strokeRect(Math.max(-4, band.since) + 0.5, band.y - 8.5, Math.min(width + 4, band.ends) - Math.max(-4, band.since) - 1, 17)
    }
    pen.fillStyle = ink.good
    pen.fillRect(band.since - 13, band.y - 12, 3, 24)
    pen.fillRect(band.since - 8, band.y - 12, 1, 24)
    pen.fillRect(band.ends, band.y - 12, 1, 24)
    pen.fillRect(band.ends + 2, band.y - 12, 3, 24)
    pen.beginPath()
    for (const x of [band.since - 4, band.ends - 4]) {
      for (const y of [band.y - 3, band.y + 3]) {
        pen.moveTo(x + 1.6, y)
        pen.arc(x, y, 1.6, 0, 2 * Math.PI)
      }
    }
    pen.fill()
  }
}

const patterns = new Map<string, CanvasPattern>()

/** Slanted strokes on a ground. */
function pattern(pen: Pen, ground: string, stroke: string, apart: number, thick: number): CanvasPattern | string {
  const name = [ground, stroke, apart, thick].join()
  const known = patterns.get(name)
  if (known) return known
  const size = apart * 2
  const tile = document.createElement('canvas')
  tile.width = tile.height = size
  const on = tile.getContext('2d')
  if (!on) return ground
  on.fillStyle = ground
  on.fillRect(0, 0, size, size)
  on.strokeStyle = stroke
  on.lineWidth = thick
  on.beginPath()
  for (let at = -size; at <= size; at += apart) {
    on.moveTo(at - 1, size + 1)
    on.lineTo(at + size + 1, -1)
  }
  on.stroke()
  const made = pen.createPattern(tile, 'repeat')
  if (!made) return ground
  patterns.set(name, made)
  return made
}

function links(pen: Pen, frame: Frame, ink: Palette, seen: (y: number) => boolean): void {
  const looks = {
    join: [ink.edge, 1.25, []],
    link: [ink.edge, 1.25, []],
    test: [ink.edge, 1.25, [2, 2]],
    lost: [ink.wait, 1.5, [2, 2]],
    late: [ink.wait, 1.75, []],
  } as const
  for (const [kind, [colour, thick, dash]] of Object.entries(looks)) {
    pen.strokeStyle = colour
    pen.lineWidth = thick
    pen.setLineDash([...dash])
    pen.beginPath()
    for (const line of frame.scene.lines) {
      if (line.kind !== kind || !seen(line.y1)) continue
      pen.moveTo(line.x1, line.y1)
      pen.lineTo(line.x2, line.y2)
    }
    pen.stroke()
  }
  pen.setLineDash([])
  pen.strokeStyle = ink.wait
  pen.lineWidth = 1.5
  pen.beginPath()
  for (const { x1, x2, y } of frame.scene.brackets) {
    pen.moveTo(x1, y + 6)
    pen.lineTo(x1, y)
    pen.lineTo(x2, y)
    pen.lineTo(x2, y + 6)
  }
  pen.stroke()
}

function marks(pen: Pen, frame: Frame, ink: Palette, seen: (y: number) => boolean): void {
  const { width, chosen, hovered } = frame
  const shown = frame.scene.spots.filter((s) => seen(s.y) && s.x + s.wide > -12 && s.x < width + 12)
  for (const shape of SHAPES) {
    const spots = shown.filter((s) => s.shape === shape)
    if (spots.length > 0) paintMark(pen, shape, spots, ink)
  }
  for (const spot of shown) {
    const on = chosen && (spot.key === chosen.key || spot.key === chosen.other)
    if (!on && spot.key !== hovered) continue
    pen.strokeStyle = ink.accent
    pen.lineWidth = 2
    pen.beginPath()
    if (spot.shape === 'crowd') pen.roundRect(spot.x - 2.5, spot.y + 2.5 - spot.high, spot.wide + 4, spot.high + 8, 3)
    else pen.roundRect(spot.x - 7.5, spot.y - 7.5, spot.wide + 15, 15, 7.5)
    if (on && spot.key === chosen.key) pen.stroke()
    else {
      pen.globalAlpha = 0.55
      pen.stroke()
      pen.globalAlpha = 1
    }
  }
}

function labels(pen: Pen, frame: Frame, ink: Palette, seen: (y: number) => boolean): void {
  const plain = `11px ${ink.font}`
  const strong = `650 11px ${ink.font}`
  for (const label of frame.scene.labels) {
    if (!seen(label.y)) continue
    pen.font = plain
    pen.textAlign = label.align === 'middle' ? 'center' : 'left'
    const words = label.strong && label.text ? `${label.strong} ${label.text}` : label.strong || label.text
    let x = label.align === 'right' ? label.x - pen.measureText(words).width : label.x
    if (label.tone === 'wait' || ink.forced) {
      // The figure stands on its link, and forced colours make tracks as strong as words: paper around keeps them readable.
      pen.strokeStyle = ink.paper
      pen.lineWidth = 4
      pen.lineJoin = 'round'
      pen.strokeText(words, x, label.y)
    }
    if (label.strong) {
      pen.font = strong
      pen.fillStyle = ink.ink
      pen.fillText(label.strong, x, label.y)
      x += pen.measureText(`${label.strong} `).width
      pen.font = plain
    }
    pen.fillStyle = label.tone === 'wait' ? ink.wait : ink.ink2
    pen.fillText(label.text, x, label.y)
  }
  pen.textAlign = 'left'
  const { chosen, rows } = frame
  const row = chosen ? rows[chosen.row] : undefined
  if (row && row.happened !== null && frame.scene.spots.every((s) => s.row !== chosen?.row || s.x > 70 || s.x < -10) && !labelled(pen, frame, row)) {
    pen.font = plain
    pen.fillStyle = ink.accent
    pen.fillText(frame.words.happened, 6, row.happened + 4)
    pen.fillText(frame.words.arrived, 6, row.arrived + 4)
  }
}

/** True if words of a mark already stand where the names of the two tracks would. */
function labelled(pen: Pen, frame: Frame, row: Row): boolean {
  return frame.scene.labels.some((label) => {
    const beside = Math.min(Math.abs(label.y - row.arrived - 4), Math.abs(label.y - (row.happened ?? row.arrived) - 4)) < 8
    const left = label.align === 'right' ? label.x - pen.measureText(`${label.strong} ${label.text}`).width : label.x
    return beside && left < 70 && label.x > -10
  })
}

function axis(pen: Pen, frame: Frame, ink: Palette): void {
  const { width, scale } = frame
  pen.fillStyle = ink.paper
  pen.fillRect(0, 0, width, AXIS)
  pen.fillStyle = ink.sunk
  for (const fold of foldsInSight(frame)) pen.fillRect(Math.round(scale.x(fold.from)), 0, fold.width, AXIS)
  pen.strokeStyle = ink.lineStrong
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(0, AXIS - 0.5)
  pen.lineTo(width, AXIS - 0.5)
  for (const tick of frame.axis.ticks) {
    if (tick.x < 0 || tick.x > width) continue
    pen.moveTo(crisp(tick.x), AXIS - 5)
    pen.lineTo(crisp(tick.x), AXIS)
  }
  pen.stroke()
  pen.font = `11px ${ink.font}`
  pen.fillStyle = ink.ink3
  const now = scale.x(frame.now)
  for (const { x, label } of frame.axis.ticks) {
    // The sign of the present stands on the same line.
    if (label !== null && (x + 3 > now + 17 || x + 3 + pen.measureText(label).width < now - 17)) pen.fillText(label, x + 3, 37)
  }
  pen.font = `10.5px ${ink.font}`
  pen.textAlign = 'center'
  const two = (x: number, [first, second]: [string, string]): void => {
    pen.fillText(first, x, 15)
    pen.fillText(second, x, 27)
  }
  for (const fold of foldsInSight(frame)) {
    const middle = scale.x(fold.from) + fold.width / 2
    if (middle > 14 && middle < width - 14) two(middle, frame.words.fold(fold.to - fold.from))
  }
  pen.textAlign = 'left'
  pen.font = `600 11px ${ink.font}`
  pen.fillStyle = ink.ink
  for (const day of frame.axis.days) pen.fillText(day.label, day.x, 17)
  pen.textAlign = 'center'
  for (const gap of gapsInSight(frame)) {
    const [from, to] = [Math.max(0, scale.x(gap.from)), Math.min(width, scale.x(gap.to))]
    const says = frame.words.gap(gap.to - gap.from)
    if (to - from > Math.max(...says.map((s) => pen.measureText(s).width)) + 8) {
      pen.fillStyle = ink.paper
      // Down to the line of the times, which stay whole.
      pen.fillRect((from + to) / 2 - 44, 4, 88, 24)
      pen.fillStyle = ink.ink
      two((from + to) / 2, says)
    }
  }
  pen.textAlign = 'left'
}

function present(pen: Pen, frame: Frame, ink: Palette): void {
  const x = frame.scale.x(frame.now)
  if (x < 0 || x > frame.width) return
  pen.strokeStyle = ink.ink
  pen.lineWidth = 1
  pen.beginPath()
  pen.moveTo(crisp(x), 30)
  pen.lineTo(crisp(x), frame.height)
  pen.stroke()
  chip(pen, Math.min(frame.width - 32, x - 15), 26, 30, 15, frame.words.now, ink.ink, ink.paper, ink)
}

function chip(pen: Pen, x: number, y: number, w: number, h: number, text: string, ground: string, over: string, ink: Palette): void {
  pen.fillStyle = ground
  pen.beginPath()
  pen.roundRect(Math.round(x), y, w, h, 3)
  pen.fill()
  pen.font = `550 11px ${ink.font}`
  pen.fillStyle = over
  pen.textAlign = 'center'
  pen.fillText(text, Math.round(x) + w / 2, y + h - 4.5)
  pen.textAlign = 'left'
}

/** Two guides from the ends of the chosen link up to flags in the axis. */
function flags(pen: Pen, frame: Frame, ink: Palette): void {
  const { chosen, scene, width, scroll } = frame
  if (!chosen) return
  const ends = [chosen, ...scene.spots.filter((s) => s.key === chosen.other)].sort((a, b) => a.x - b.x)
  pen.font = `550 11px ${ink.font}`
  ends.forEach((end, n) => {
    if (end.x < 0 || end.x > width) return
    pen.strokeStyle = ink.accent
    pen.lineWidth = 1
    pen.setLineDash([2, 2])
    pen.beginPath()
    pen.moveTo(crisp(end.x), 20)
    pen.lineTo(crisp(end.x), Math.max(AXIS, AXIS - scroll + end.y - 8))
    pen.stroke()
    pen.setLineDash([])
    const text = frame.words.flag(end.ms)
    const w = pen.measureText(text).width + 12
    // Both hang between their guides while there is room for two; else each hangs outward.
    const crowded = ends.length === 2 && (ends[1]?.x ?? 0) - (ends[0]?.x ?? 0) < 2 * w + 6
    const left = crowded ? n === 0 : n === 1
    const x = Math.min(width - w - 2, Math.max(2, left ? end.x - w : end.x))
    chip(pen, x, 4, w, 17, text, ink.accent, ink.onAccent, ink)
  })
}
