// A case to draw, for tests: one job, a lost try that had made a post, a refusal, and a second post.

import type { CaseChain, CaseNode } from '../wire/wire'

/** A node, with what is not said left empty. */
export function caseNode(change: Partial<CaseNode> = {}): CaseNode {
  return {
    id: 'try:a/1',
    kind: 'try',
    row: 0,
    name: 'a/1',
    text: null,
    mark: 'lost',
    status: null,
    platform: null,
    code: null,
    n: 1,
    at_ms: 0,
    until_ms: null,
    glow: 'plain',
    ...change,
  }
}

/** The picture of that case. */
export function caseChain(): CaseChain {
  const nodes = [
    caseNode({ id: 'job:a', kind: 'job', name: 'a', mark: null, text: 'north' }),
    caseNode({ until_ms: 30_000 }),
    caseNode({ id: 'post:1', kind: 'post', name: 'po_1', mark: null, text: 'Plums.', status: 'published', glow: 'proof' }),
    caseNode({ id: 'try:a/2', name: 'a/2', row: 1, mark: 'refused', code: 409, n: 2, at_ms: 31_000, until_ms: 32_000, glow: 'second' }),
    caseNode({ id: 'try:a/3', name: 'a/3', row: 2, mark: 'answered', code: 201, n: 3, at_ms: 90_000, until_ms: 91_000, glow: 'second' }),
    caseNode({ id: 'post:2', kind: 'post', name: 'po_2', row: 2, mark: null, text: 'Plums!', glow: 'second' }),
    caseNode({ id: 'message:e', kind: 'message', name: 'ev_1', mark: null, text: 'post.platform.published', status: 'published', platform: 'x' }),
    caseNode({ id: 'arrivals:e', kind: 'arrivals', name: 'ev_1', mark: null, status: 'published', n: 2, at_ms: 2_000, until_ms: 9_000 }),
  ]
  const link = (from: string, to: string, tie: CaseChain['links'][number]['tie'] = 'recorded') => ({ from, to, tie })
  return {
    nodes,
    links: [
      link('job:a', 'try:a/1'),
      link('job:a', 'try:a/2'),
      link('job:a', 'try:a/3'),
      link('try:a/1', 'post:1', 'worked_out'),
      link('try:a/2', 'post:1', 'already_there'),
      link('try:a/3', 'post:2', 'made_two'),
      link('post:1', 'message:e'),
      link('message:e', 'arrivals:e'),
    ],
    changes: [{ from: 'try:a/2', to: 'try:a/3', before: '.', after: '!' }],
    rows: 3,
    left_out: 0,
  }
}
