import { expect, test } from 'vitest'

import { caseChain, caseNode } from '../testing/why'
import { layoutOf, stripOf } from './layout'

const chain = caseChain()

test('each node stands in the column of its kind and the row it was given', () => {
  const { boxes, columns } = layoutOf(chain, 908)
  expect(columns).toHaveLength(6)
  const of = (id: string) => boxes.find((box) => box.node.id === id)
  expect(of('job:a')?.x).toBe(columns[0])
  expect(of('try:a/2')?.x).toBe(columns[2])
  expect(of('try:a/2')?.y).toBeGreaterThan((of('try:a/1')?.y ?? 0) + (of('try:a/1')?.height ?? 0))
})

test('the picture fits the width, and a narrow one is drawn wider instead of smaller', () => {
  const right = (width: number, grown = 1) => Math.max(...layoutOf(chain, width, grown).boxes.map((box) => box.x + box.width))
  expect(right(908)).toBeLessThanOrEqual(908)
  expect(right(300)).toBeGreaterThan(600)
  expect(right(908, 2)).toBeGreaterThan(1300)
})

test('ties are straight inside a row and bend between rows; what was there already is pointed at', () => {
  const { lines } = layoutOf(chain, 908)
  const line = (key: string) => lines.find((one) => one.key === key)
  expect(line('try:a/1 post:1')?.d).toMatch(/^M\d+ \d+H\d+$/)
  expect(line('job:a try:a/2')?.d).toContain('Q')
  expect(line('try:a/2 post:1')?.head).not.toBeNull()
  expect(lines).toHaveLength(chain.links.length)
})

test('over time, order is kept, nothing overlaps, and the ends are met', () => {
  const nodes = [0, 500, 900, 60_000, 86_400_000].map((ms, n) => caseNode({ id: `try:${n}`, kind: 'try', at_ms: ms }))
  const { ticks, rests } = stripOf([...nodes].reverse(), 8, 900)
  expect(ticks.map((tick) => tick.ms)).toEqual([0, 500, 900, 60_000, 86_400_000])
  ticks.slice(1).forEach((tick, n) => expect(tick.x - (ticks[n]?.x ?? 0)).toBeGreaterThanOrEqual(13))
  expect(ticks[0]?.x).toBe(8)
  expect(Math.abs((ticks.at(-1)?.x ?? 0) - 900)).toBeLessThanOrEqual(1)
  expect(rests.at(-1)?.ms).toBe(86_340_000)
})

test('many rows at one instant still fit', () => {
  const nodes = Array.from({ length: 200 }, (_, n) => caseNode({ id: `try:${n}`, kind: 'try', at_ms: 5 }))
  const { ticks } = stripOf(nodes, 0, 500)
  expect(ticks.at(-1)?.x).toBeLessThanOrEqual(500)
})
