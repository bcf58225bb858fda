// What is drawn of a job's row: its tries over the band that is the life of its key. Pure.

import type { Row } from './rows'
import { ASIDE_MOST, type Band, RIM, type Scene, type Shape, type Spot, spotOf, type Stage } from './scene'

/** Tries that would cover each other step aside by this, pixels. */
const TRY = 11
/** Within this before its end a key is too close to its end, milliseconds. */
const TOO_CLOSE = 15 * 60_000

/** Places a job's marks; `wanted` gets the spots that want words beside them. */
export function jobRow(row: Row, at: number, stage: Stage, scene: Scene, wanted: Spot[]): void {
  const edge = tries(row, at, stage, scene)
  const { scale } = stage
  const { job } = row.lane
  const y = row.arrived
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
  const end = spotOf(`key:${job.job}`, at, band.ends, y, 'key_end', ends, null)
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
  if (band.ends > 0 && band.ends + 40 < stage.width) wanted.push(end)
}

/** The tries of a job; the right edge of the last one that is placed. */
function tries(row: Row, at: number, stage: Stage, scene: Scene): number {
  const { scale } = stage
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
    const found = spotOf(`try:${mark.job}:${mark.n}`, at, x + 5, y, mark.mark as Shape, mark.at_ms, mark)
    if (mark.mark === 'lost' && mark.end_ms !== null) {
      const end = Math.max(x + 18, scale.x(mark.end_ms))
      scene.lines.push({ x1: x + 10, y1: y, x2: end, y2: y, kind: 'lost', of: found.key })
    }
    scene.spots.push(found)
    edge = x + TRY
  }
  return edge
}
