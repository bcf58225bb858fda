import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { beforeEach, expect, test } from 'vitest'

import App from '../App.svelte'
import { Desk } from '../state/desk.svelte'
import { type Answers, TableHost } from '../testing/host'
import { before, forecastRow, jobDetail, jobRow } from '../testing/rows'
import type { ForecastArgs, ForecastRow, JobRow } from '../wire/wire'

let job: JobRow
let asked: Partial<ForecastRow>
let again: Partial<ForecastRow>

const BLOCKED: Partial<ForecastRow> = {
  effect: 'creates_second',
  risk: 'blocked',
  expects: [201],
  because: [{ code: 'check_over', text: 'The first post is live, longer than Pozy looks for the same words.' }],
}

beforeEach(() => {
  job = jobRow()
  asked = {}
  again = BLOCKED
})

/** The Posts screen with the one job open. */
async function open(answers: Answers = {}): Promise<TableHost> {
  location.hash = '#/posts'
  let id = 0
  const host = new TableHost({
    posts: () => ({ rows: [job], next: null }),
    job: () => jobDetail(job),
    forecast: ({ action }: ForecastArgs) => forecastRow({ id: `f${(id += 1)}`, action, ...(action === 'ask_again' ? asked : again) }),
    ask_again: () => job,
    post_again: () => job,
    note: () => ({}),
    ...answers,
  })
  render(App, { desk: new Desk(host) })
  await fireEvent.click(await screen.findByRole('row', { name: /Market day/ }))
  return host
}

test('each verb says before the click what it would do', async () => {
  await open()
  const ask = await screen.findByRole('article', { name: 'Ask again' })
  await waitFor(() => expect(ask.textContent).toContain('One post either way. Ask again finds the first post, or makes it now.'))
  expect(ask.textContent).toContain('Safe')
  expect(ask.textContent, 'times stand in the zone of the screen').toContain('until Sat 7 Nov 04:15 CET')
  const post = screen.getByRole('article', { name: 'Post again' })
  await waitFor(() => expect(post.textContent).toContain('Would make a second live post.'))
  expect(post.textContent).toContain('Blocked')
})

test('the click carries the newest forecast, and a double click sends once', async () => {
  const host = await open()
  const button = await screen.findByRole('button', { name: 'Ask again' })
  await Promise.all([fireEvent.click(button), fireEvent.click(button)])
  await waitFor(() => expect(host.argsOf('ask_again')).toHaveLength(1))
  expect(host.argsOf('ask_again')[0]?.forecast).toMatch(/^f\d$/)
})

test('a forecast that went stale is shown anew, and nothing is sent', async () => {
  const host = await open()
  const button = await screen.findByRole('button', { name: 'Ask again' })
  delete host.answers.ask_again
  asked = { risk: 'confirm', because: [{ code: 'key_near_end', text: 'The key ends in 9 min.' }] }
  await fireEvent.click(button)
  expect(await screen.findByText(/Too close to call/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Ask again, I accept' })).toBeTruthy()
  expect(screen.getAllByRole('alert').map((one) => one.textContent).join()).toContain('No answer to ask_again.')
})

test('what needs a word has a button of its own and never the keyboard by itself', async () => {
  asked = { risk: 'confirm', because: [{ code: 'key_near_end', text: 'The key ends in 9 min.' }] }
  await open()
  await screen.findByRole('button', { name: 'Ask again, I accept' })
  await fireEvent.keyDown(window, { key: 'a' })
  expect(document.activeElement).toBe(screen.getByRole('article', { name: 'Ask again' }))
})

test('what is blocked needs the link, a reason, then the button', async () => {
  const host = await open()
  await screen.findByText(/Would make a second live post/)
  await fireEvent.keyDown(window, { key: 'p' })
  expect(document.activeElement).toBe(screen.getByRole('article', { name: 'Post again' }))
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Post again' }).disabled).toBe(true)

  await fireEvent.click(screen.getByRole('button', { name: /Do it anyway/ }))
  const reason = await screen.findByLabelText('Why a second post is wanted')
  expect(document.activeElement, 'the reason, not the button').toBe(reason)
  const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Post again' })
  expect(button.disabled).toBe(true)
  await fireEvent.keyDown(reason, { key: 'Enter' })
  expect(host.argsOf('post_again')).toEqual([])

  await fireEvent.input(reason, { target: { value: 'The organiser asked for it twice.' } })
  await fireEvent.keyDown(reason, { key: 'Enter' })
  expect(host.argsOf('post_again'), 'Enter in the reason starts nothing').toEqual([])
  await fireEvent.click(button)
  await waitFor(() => expect(host.argsOf('post_again')).toHaveLength(1))
  expect(host.argsOf('post_again')[0]).toMatchObject({ job: 'job_31', reason: 'The organiser asked for it twice.' })
})

test('changed words are foretold anew, and what differs from the live ones is shown', async () => {
  again = {
    effect: 'creates_second',
    risk: 'blocked',
    because: [{ code: 'near_content', text: 'Differs by one character from a post (po_1) that is live since 2026-11-06 05:00 UTC.' }],
    beside: [{ post: 'po_1', job: null, account: 'ac_li_04', text: 'Market day: forty stalls, one street', since: before(3 * 3600), own: true }],
  }
  const host = await open()
  await fireEvent.click(await screen.findByRole('button', { name: /Do it anyway/ }))
  await fireEvent.input(screen.getByLabelText('Words'), { target: { value: 'Market day: forty stalls, one street!' } })
  expect(await screen.findByText('One character differs from what is there.')).toBeTruthy()
  expect(document.querySelector('ins')?.textContent).toBe('added !')
  await waitFor(() => expect(host.argsOf('forecast').at(-1)?.content).toBe('Market day: forty stalls, one street!'))
})

test('where a post is partly live only the failed accounts are chosen', async () => {
  again = { effect: 'creates_again', risk: 'confirm', because: [{ code: 'first_not_live', text: 'It failed there.' }], accounts: ['ac_ig_02'] }
  const host = await open()
  await fireEvent.click(await screen.findByRole('button', { name: 'Post again …' }))
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /LinkedIn/ }).checked).toBe(false)
  expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /Instagram/ }).checked).toBe(true)
  await fireEvent.click(screen.getByRole('checkbox', { name: /LinkedIn/ }))
  await waitFor(() => expect(host.argsOf('forecast').at(-1)?.accounts).toEqual(['ac_ig_02', 'ac_li_04']))
})

test('once the key is gone only Post again stands, and the card says why', async () => {
  job = jobRow({ ask_again: { offered: false, why: 'Its key is gone: asking would make a new post.' } })
  const host = await open()
  const ask = await screen.findByRole('article', { name: 'Ask again' })
  expect(ask.textContent).toContain('Its key is gone')
  expect(ask.querySelector('button')).toBeNull()
  await screen.findByText(/Would make a second live post/)
  expect(host.argsOf('forecast').every((args) => args.action === 'post_again')).toBe(true)
})

test('a job that was posted again leads on to the new one', async () => {
  const made = jobRow({ job: 'job_32', text: 'The second time' })
  const host = await open({
    job: ({ job: mark }) => (mark === 'job_32' ? jobDetail(made) : jobDetail(job, { posted_again: 'job_32' })),
  })
  await fireEvent.click(await screen.findByRole('button', { name: 'Open the new post' }))
  expect(await screen.findByRole('heading', { name: 'The second time' })).toBeTruthy()
  expect(host.argsOf('post_again')).toEqual([])
})

test('a job of a file is tied to the workspace in use by a second click, never by the first', async () => {
  const not = { offered: false, why: 'It was imported, so it is shown here and not sent.' }
  job = jobRow({ origin: 'import', workspace: 'ws_night', ask_again: not, post_again: not, may_tie: true })
  const host = await open({ tie_workspace: () => ({ rows: [] }) })
  await fireEvent.click(await screen.findByRole('button', { name: 'This is the same Pozy workspace' }))
  expect(screen.getByText(/Its file calls the workspace ws_night/)).toBeTruthy()
  expect(host.argsOf('tie_workspace')).toEqual([])
  await fireEvent.click(screen.getByRole('button', { name: 'It is the same one' }))
  await waitFor(() => expect(host.argsOf('tie_workspace')).toEqual([{ name: 'ws_night', tie: true }]))
})
