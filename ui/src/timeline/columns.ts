// Messages that are too many to be told apart, as columns: how high says how many, and the shares of those that came again,
// came late or tell of a failure have a place and a look of their own in it, so that none is told by its colour alone.

import type { Palette } from './palette'

/** One column, pixels; its foot stands at `y`. */
export interface Column {
  x: number
  wide: number
  y: number
  high: number
  count: number
  again: number
  late: number
  failed: number
}

/** The least share that is drawn, pixels: few of many must still be seen. */
const LEAST = 2
/** A share that came again is hollow; below this there is no inside, pixels. */
const HOLLOW = 3

/** Height of a column among others of which the fullest holds `most`. By roots, so that few beside many are still seen. */
export function heightOf(count: number, most: number, room: number): number {
  return count <= 0 ? 0 : Math.max(3, Math.round(Math.sqrt(count / Math.max(1, most)) * room))
}

/** Height of a share within a column, pixels; none only where there is none. */
export function shareOf(part: number, column: Column, least = LEAST): number {
  return part <= 0 ? 0 : Math.min(column.high, Math.max(least, Math.round((part / Math.max(1, column.count)) * column.high)))
}

/** Draws columns: solid, hollow at the head where messages came again, striped at the foot where late, underlined where failed. */
export function paintColumns(pen: CanvasRenderingContext2D, columns: readonly Column[], ink: Palette): void {
  const all = (colour: string, draw: (c: Column, x: number, wide: number) => void): void => {
    pen.fillStyle = colour
    pen.beginPath()
    for (const c of columns) draw(c, Math.round(c.x), Math.max(2, Math.round(c.x + c.wide) - Math.round(c.x) - 1))
    pen.fill()
  }
  all(ink.ink, (c, x, wide) => pen.rect(x, c.y - c.high, wide, c.high))
  all(ink.paper, (c, x, wide) => {
    const high = shareOf(c.again, c, HOLLOW)
    if (high > 0) pen.rect(x + 1, c.y - c.high + 1, Math.max(1, wide - 2), high - 1)
    for (let up = 1; up < shareOf(c.late, c); up += 2) pen.rect(x, c.y - up - 1, wide, 1)
  })
  all(ink.wait, (c, x, wide) => {
    const high = shareOf(c.late, c)
    for (let up = 0; up < high; up += 2) pen.rect(x, c.y - up - 1, wide, 1)
  })
  all(ink.stop, (c, x, wide) => {
    if (c.failed > 0) pen.rect(x, c.y + 2, wide, 3)
  })
}
