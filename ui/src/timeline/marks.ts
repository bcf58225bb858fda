// The shapes of the marks (looks, Marks of the timeline). All spots of one shape are one path.

import { paintColumns } from './columns'
import { columnOf } from './crowd'
import type { Palette } from './palette'
import type { Shape, Spot } from './scene'

/** Every shape, in the order of drawing: what tells more lies on top. */
export const SHAPES: readonly Shape[] = [
  'bar_happened', 'crowd', 'bar', 'key_end', 'happened', 'test_happened', 'news', 'test', 'again', 'older', 'seen', 'differs', 'sheet', 'aside',
  'answered', 'replayed', 'sending', 'not_sent', 'wait', 'lost', 'refused', 'partly', 'live', 'failed',
]

type Pen = CanvasRenderingContext2D

/** Draws all spots of one shape. */
export function paintMark(pen: Pen, shape: Shape, spots: readonly Spot[], ink: Palette): void {
  const path = (draw: (s: Spot) => void): void => {
    pen.beginPath()
    for (const s of spots) draw(s)
  }
  const circle = (r: number) => (s: Spot) => {
    pen.moveTo(s.x + r, s.y)
    pen.arc(s.x, s.y, r, 0, 2 * Math.PI)
  }
  const square = (half: number) => (s: Spot) => pen.roundRect(s.x - half, s.y - half, 2 * half, 2 * half, 1.5)
  const poly = (...points: readonly (readonly [number, number])[]) => (s: Spot) => {
    points.forEach(([x, y], n) => (n === 0 ? pen.moveTo(s.x + x, s.y + y) : pen.lineTo(s.x + x, s.y + y)))
  }
  const shut = (draw: (s: Spot) => void) => (s: Spot) => {
    draw(s)
    pen.closePath()
  }
  const fill = (colour: string, draw: (s: Spot) => void): void => {
    pen.fillStyle = colour
    path(draw)
    pen.fill()
  }
  const line = (colour: string, thick: number, draw: (s: Spot) => void): void => {
    pen.strokeStyle = colour
    pen.lineWidth = thick
    pen.lineCap = 'round'
    pen.lineJoin = 'round'
    path(draw)
    pen.stroke()
    pen.lineCap = 'butt'
    pen.lineJoin = 'miter'
  }
  const hollow = (colour: string, thick: number, draw: (s: Spot) => void): void => {
    fill(ink.paper, draw)
    line(colour, thick, draw)
  }
  const tick = poly([-2.3, 0.2], [-0.7, 1.9], [2.2, -1.5])
  const cross = (s: Spot): void => {
    poly([-2, -2], [2, 2])(s)
    poly([2, -2], [-2, 2])(s)
  }
  const diamond = (r: number) => shut(poly([0, -r], [r, 0], [0, r], [-r, 0]))

  switch (shape) {
    case 'happened':
      hollow(ink.ink2, 1.5, circle(4))
      break
    case 'news':
      fill(ink.ink, circle(5))
      break
    case 'live':
      fill(ink.good, circle(5))
      line(ink.paper, 1.4, tick)
      break
    case 'failed':
      fill(ink.stop, circle(5))
      line(ink.paper, 1.4, cross)
      break
    case 'partly':
      hollow(ink.wait, 1.5, circle(4.25))
      fill(ink.wait, (s) => {
        pen.moveTo(s.x, s.y - 4.25)
        pen.arc(s.x, s.y, 4.25, -Math.PI / 2, Math.PI / 2)
      })
      break
    case 'again':
      hollow(ink.ink2, 1.75, circle(4.25))
      break
    case 'older':
      hollow(ink.ink2, 1.5, shut(poly([3.5, -4.5], [-3.5, 0], [3.5, 4.5])))
      break
    case 'seen':
    case 'differs':
      hollow(ink.good, 1.25, square(4.5))
      line(ink.good, 1.5, shape === 'seen' ? poly([-2.4, 0], [-0.6, 1.9], [2.4, -1.7]) : cross)
      break
    case 'answered':
    case 'not_sent':
      if (shape === 'answered') fill(ink.ink, square(5))
      else hollow(ink.ink2, 1.5, square(4.25))
      break
    case 'replayed':
      fill(ink.ink, square(5))
      line(ink.paper, 1.3, (s) => {
        poly([-2.5, -1.6], [2.5, -1.6])(s)
        poly([-2.5, 1.6], [2.5, 1.6])(s)
      })
      break
    case 'lost':
      line(ink.wait, 1.5, poly([3.5, -4.25], [-4.25, -4.25], [-4.25, 4.25], [3.5, 4.25]))
      break
    case 'wait':
      hollow(ink.wait, 1.5, square(4.25))
      fill(ink.wait, (s) => pen.rect(s.x - 4.25, s.y, 8.5, 4.25))
      break
    case 'refused':
      hollow(ink.stop, 1.5, square(4.25))
      line(ink.stop, 1.5, poly([-2.2, 2.2], [2.2, -2.2]))
      break
    case 'sending':
      pen.setLineDash([2, 1.6])
      hollow(ink.ink2, 1.5, square(4.25))
      pen.setLineDash([])
      break
    case 'test_happened':
      hollow(ink.ink3, 1.5, diamond(4.5))
      break
    case 'test':
      fill(ink.ink3, diamond(5))
      break
    case 'aside': {
      hollow(ink.ink2, 1.5, shut(poly([-2.2, -5], [2.2, -5], [5, -2.2], [5, 2.2], [2.2, 5], [-2.2, 5], [-5, 2.2], [-5, -2.2])))
      line(ink.ink2, 1.5, poly([-2.5, 0], [2.5, 0]))
      break
    }
    case 'sheet':
      hollow(ink.ink2, 1.5, shut(poly([-4.5, -4.5], [1.5, -4.5], [4.5, -1.5], [4.5, 4.5], [-4.5, 4.5])))
      break
    case 'bar':
      fill(ink.ink, (s) => pen.roundRect(Math.round(s.x) - 4, s.y - 5, Math.max(8, Math.round(s.wide) + 8), 10, 5))
      break
    case 'bar_happened':
      hollow(ink.ink2, 1.5, (s) => pen.roundRect(Math.round(s.x) - 4, s.y - 4, Math.max(8, Math.round(s.wide) + 8), 8, 4))
      break
    case 'crowd':
      paintColumns(pen, spots.map(columnOf), ink)
      break
    case 'key_end':
      // The closing sign is drawn with its band.
      break
  }
}
