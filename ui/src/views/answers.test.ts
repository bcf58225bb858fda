import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { expect, test } from 'vitest'

import App from '../App.svelte'
import { Desk } from '../state/desk.svelte'
import { Clockface } from '../state/times'
import { type Answers, TableHost } from '../testing/host'
import { answerCard, before, forecastRow, jobDetail, jobFacts, jobRow, NOW, postNow } from '../testing/rows'
import type { AnswerKind, ForecastArgs, JobFacts, JobRow } from '../wire/wire'
import { noteSays, postStands, said } from '../words/answers'
import { noteOf } from '../words/looking'

const KINDS: AnswerKind[] = [
  'under_way', 'created', 'replayed', 'replayed_other', 'saving', 'in_progress', 'same_content', 'rate_limited', 'busy', 'lost', 'not_sent',
  'refused', 'key_elsewhere', 'redirected',
]

/** The Posts screen with one job open. */
async function open(row: JobRow, facts: Partial<JobFacts>, answers: Answers = {}): Promise<TableHost> {
  location.hash = '#/posts'
  const host = new TableHost({
    posts: () => ({ rows: [row], next: null }),
    job: () => jobDetail(row, { facts: jobFacts(facts), body: '{"content":"Market day","platforms":[{"platform":"x","accountId":"ac_x"}]}' }),
    forecast: ({ action }: ForecastArgs) => forecastRow({ action }),
    note: () => ({}),
    accounts: () => ({ accounts: [], problem: null }),
    ...answers,
  })
  render(App, { desk: new Desk(host) })
  await fireEvent.click(await screen.findByRole('row', { name: /Market day/ }))
  return host
}

test('every kind of answer has a card of at most seven words and no code in its headline', () => {
  const headlines = new Set<string>()
  for (const kind of KINDS) {
    const of = said(answerCard({ kind }), jobRow())
    expect(of.headline.split(' ').length, of.headline).toBeLessThanOrEqual(7)
    expect(of.headline).not.toMatch(/\d{3}/)
    expect(of.says, kind).not.toBe('')
    headlines.add(of.headline)
  }
  expect(headlines.size, 'no two kinds are told alike').toBe(KINDS.length)
})

test('what is unknown is never called failed', () => {
  for (const kind of ['lost', 'busy', 'rate_limited', 'in_progress', 'not_sent'] as const) {
    const of = said(answerCard({ kind }), jobRow())
    expect(`${of.headline} ${of.says} ${of.badge}`).not.toMatch(/fail/i)
  }
})

test('a post made late is told with the try that made it', () => {
  const row = jobRow({ state: 'done', outcome: 'created', post: 'po_1', post_status: 'scheduled', created_by_attempt: 3 })
  expect(said(answerCard({ kind: 'created', n: 3 }), row).headline).toBe('Made on try 3')
  expect(said(answerCard({ kind: 'replayed', n: 2 }), { ...row, created_by_attempt: 1 }).headline).toBe('Made on try 1')
})

test('where several tries were answered with a post nobody says that there is one', () => {
  const row = jobRow({ state: 'done', outcome: 'created', post: 'po_2', created_by_attempt: 2, tries: ['answered', 'answered'] })
  const { headline, says } = said(answerCard({ kind: 'created', n: 2 }), row)
  expect(headline).toBe('There may be more than one')
  expect(says).toContain('there may be more than one')
  expect(says).not.toMatch(/made nothing|There is one/)
})

test('what Pozy said is passed on as its own words', () => {
  expect(said(answerCard({ kind: 'refused', mend: 'The planned time is in the past' }), jobRow()).says).toBe(
    'Pozy says: The planned time is in the past. Sending it again unchanged will not help.',
  )
})

test('the same content leads to the post that is there, never to an edit', async () => {
  const there = postNow({ post: 'po_9c41', text: 'Market day: forty stalls, one street' })
  const row = jobRow({ state: 'refused', outcome: 'refused', ask_again: { offered: false, why: 'It is there already.' } })
  const host = await open(row, { answer: answerCard({ kind: 'same_content', status: 409, post: there, sent_text: there.text, their_text: there.text }) }, {
    fetch: () => ({ result: 'told', at: before(0), says: 'Pozy says that it is live.', wait_until: null, post: there, account_status: null, candidates: [] }),
  })
  const card = await screen.findByRole('article', { name: 'The same post is already there' })
  expect(card.textContent).toContain('409, same content')
  expect(within(card).queryByRole('button', { name: /Edit/ })).toBeNull()
  await fireEvent.click(within(card).getByRole('button', { name: 'Open that post' }))
  const sheet = await screen.findByRole('dialog', { name: 'The post at Pozy' })
  await within(sheet).findByText('Pozy says that it is live.')
  expect(host.argsOf('fetch')).toEqual([{ post: 'po_9c41' }])
})

test('an edit that was not applied stands beside the live words', async () => {
  const row = jobRow({ state: 'done', outcome: 'replayed', post: 'po_1', post_status: 'published', warnings: ['edit_not_applied'] })
  await open(row, { answer: answerCard({ kind: 'replayed_other', sent_text: 'Doors open at 10.', their_text: 'Doors open at 9.' }) })
  const card = await screen.findByRole('article', { name: 'Your edit was not applied' })
  expect(card.querySelector('ins')?.textContent).toContain('10')
  expect(card.querySelector('del')?.textContent).toContain('9')
})

test('what is to be fixed starts a new post from what was sent', async () => {
  const row = jobRow({ state: 'stopped', outcome: 'rejected' })
  await open(row, { answer: answerCard({ kind: 'refused', status: 400, mend: 'No such account', mend_field: 'accountId' }) })
  await fireEvent.click(await screen.findByRole('button', { name: 'Edit as a new post' }))
  expect(await screen.findByRole('heading', { name: 'New post' })).toBeTruthy()
  expect(screen.getByLabelText<HTMLTextAreaElement>('Words').value).toBe('Market day')
})

test('an unknown outcome is looked up, and what is found is written down', async () => {
  const one = postNow({ post: 'po_7', text: 'Market day: forty stalls, one street' })
  const host = await open(jobRow(), { answer: answerCard({ kind: 'lost' }) }, {
    fetch: () => ({
      result: 'told', at: before(0), says: 'One post has these words.', wait_until: null, post: null, account_status: null,
      candidates: [{ post: one, differs_by: 0, accounts: ['ac_li_04'] }],
    }),
  })
  await fireEvent.click(await screen.findByRole('button', { name: 'Ask Pozy what it has' }))
  await fireEvent.click(await screen.findByRole('button', { name: 'It is this one' }))
  await waitFor(() => expect(host.argsOf('note')).toEqual([{ job: 'job_31', action: 'settled', there: true, post: 'po_7', text: 'It is this one' }]))
})

test('what was seen on the account is written down in the words of the person', async () => {
  const host = await open(jobRow(), { answer: answerCard({ kind: 'lost' }) })
  await fireEvent.click(await screen.findByRole('button', { name: 'I looked at the account' }))
  await fireEvent.click(screen.getByRole('radio', { name: 'It is not there' }))
  await fireEvent.input(screen.getByLabelText('More to say'), { target: { value: 'Nothing since Tuesday' } })
  await fireEvent.click(screen.getByRole('button', { name: 'Write it down' }))
  await waitFor(() => expect(host.argsOf('note')).toEqual([{ job: 'job_31', action: 'settled', there: false, text: 'Nothing since Tuesday' }]))
})

test('each thing a person may have seen has a row of its own in the history', () => {
  expect(noteOf('live')).toEqual({ action: 'settled', there: true })
  expect(noteOf('unseen')).toEqual({ action: 'not_seen' })
  const note = { at: before(0), post: null, there: null, text: 'Nothing since Tuesday' }
  expect(noteSays({ ...note, action: 'settled', there: false })).toBe('Looked: it is not there: Nothing since Tuesday')
  expect(noteSays({ ...note, action: 'settled', there: true, post: 'po_7', text: '' })).toBe('Looked: it is there, as po_7')
  expect(noteSays({ ...note, action: 'comment' })).toBe('Nothing since Tuesday')
})

test('a state says when Pozy confirmed it, with its zone', () => {
  const face = new Clockface('Europe/Paris')
  expect(postStands(postNow({ status: 'published', confirmed: before(60) }), face, NOW)).toBe('Live, confirmed by Pozy at 08:59:40 CET')
  expect(postStands(postNow({ status: 'published', confirmed: null, as_of: before(120) }), face, NOW)).toBe('Live, told by a message of 08:58:40 CET')
  expect(postStands(postNow({ status: null, confirmed: null, as_of: null }), face, NOW)).toBe('Cannot tell, never confirmed')
})

test('a clock that differs is said, and only makes a key older', async () => {
  const key = { phase: 'safe', since: before(16_200), safe_until: null, sure_until: before(-69_000), ends: before(-70_200), gone_from: null, says: 'After that only a person asks.' } as const
  await open(jobRow(), { answer: answerCard({ kind: 'lost' }), key, skew: { ahead_ms: 240_000, measured: before(30), matters: true } })
  expect(await screen.findByText(/Our clock is 4 min behind Pozy’s/)).toBeTruthy()
  expect(screen.getByText(/Pozy surely remembers it until/)).toBeTruthy()
})
