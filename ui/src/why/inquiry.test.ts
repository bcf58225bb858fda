import { expect, test } from 'vitest'

import type { CallName } from '../wire/calls'
import { Inquiry } from './inquiry.svelte'

/** A core that knows one job, sent beside another post or not, and answers every question with nothing. */
function core(warnings: string[]) {
  const asked: [CallName, unknown][] = []
  const answers: Partial<Record<CallName, unknown>> = {
    job: { row: { job: 'job_2', post: 'po_2', warnings } },
    forecast: { beside: [{ post: 'po_2', own: true }, { post: 'po_1', own: false }, { post: null, job: 'job_3', own: false }] },
  }
  const read = async (name: CallName, args: unknown): Promise<unknown> => {
    asked.push([name, args])
    return answers[name] ?? null
  }
  return { asked, inquiry: new Inquiry({ read: read as never }) }
}

const job = { kind: 'job', value: 'job_2', known: true } as const

test('a job that was sent beside a live post is asked about together with that post', async () => {
  const { asked, inquiry } = core(['near_live_post'])
  await inquiry.ask([job])
  expect(inquiry.things.map((thing) => thing.value)).toEqual(['job_2', 'po_1'])
  expect(asked.at(-1)).toEqual(['why', { posts: ['po_1'], urls: [], texts: [], keys: [], events: [], jobs: ['job_2'] }])
})

test('any other job is asked about alone, and nothing is foretold for it', async () => {
  const { asked, inquiry } = core([])
  await inquiry.ask([job])
  expect(inquiry.things).toEqual([job])
  expect(asked.map(([name]) => name)).toEqual(['job', 'why'])
})
