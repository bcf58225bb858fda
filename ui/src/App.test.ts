import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, test } from 'vitest'

import App from './App.svelte'
import { Desk } from './state/desk.svelte'
import { type Answers, TableHost } from './testing/host'
import { arrivalRow, before, eventRow, forecastRow, jobDetail, jobRow, statusOf } from './testing/rows'
import type { EventRow, JobRow, WorkspaceRow } from './wire/wire'

const theWorkspace = statusOf().workspace as WorkspaceRow

let events: EventRow[]
let jobs: JobRow[]

/** The program with these answers besides the ordinary ones, at a screen. */
function open(at: string, answers: Answers = {}): TableHost {
  location.hash = `#/${at}`
  const host = new TableHost({
    events: () => ({ rows: events, next: null, looked: null }),
    event_arrivals: () => [
      arrivalRow({ seq: 1 }),
      arrivalRow({
        seq: 2,
        copy: 2,
        standing: 'duplicate',
        cause: { code: 'lost_answer', confidence: 'medium', text: 'We answered in 31 ms; the next came 20 s later.' },
      }),
    ],
    arrival: ({ seq }) => ({ row: arrivalRow({ seq }), headers: [], body: '{"id":"ev_1"}', body_len: 13, body_missing: null }),
    posts: () => ({ rows: jobs, next: null }),
    job: ({ job }) => jobDetail(jobs.find((j) => j.job === job) ?? jobRow()),
    preflight: () => forecastRow({ action: 'submit', effect: 'creates_first', because: [{ code: 'nothing_there', text: 'No post with these words is known.' }] }),
    forecast: ({ action }) => forecastRow({ action, risk: action === 'ask_again' ? 'safe' : 'blocked' }),
    accounts: () => ({ accounts: [{ id: 'ac_li_04', platform: 'linkedin', name: 'Harbour', connected: true }], problem: null }),
    webhooks: () => ({ webhooks: [], problem: null }),
    habits: () => ({ keep_receiving: true, notices: true }),
    links: () => [],
    workspaces: () => ({ workspaces: [], secrets_in: 'keychain', secrets_say: 'Kept in the keychain.', providers: ['pozy'] }),
    ...answers,
  })
  render(App, { desk: new Desk(host) })
  return host
}

beforeEach(() => {
  events = [eventRow()]
  jobs = [jobRow()]
})
afterEach(() => {
  localStorage.clear()
  sessionStorage.clear()
})

test('a message that arrives is on the list at the next notice, and the chosen one stays chosen', async () => {
  const host = open('events')
  const first = await screen.findByRole('row', { name: /Doors open at 9/ })
  await fireEvent.click(first)
  expect(first.getAttribute('aria-selected')).toBe('true')

  events = [eventRow({ id: 'event ev_2', event: 'ev_2', text: 'Tickets are live.', last_arrived: before(0) }), ...events]
  host.notice()
  await screen.findByRole('row', { name: /Tickets are live/ })
  expect(screen.getByRole('row', { name: /Doors open at 9/ }).getAttribute('aria-selected')).toBe('true')
  expect(within(screen.getByRole('region', { name: 'Selected message' })).getByText('Doors open at 9.')).toBeTruthy()
})

test('what came twice opens to its arrivals, each with its cause and confidence', async () => {
  events = [eventRow({ arrivals: 2 })]
  open('events')
  const row = await screen.findByRole('row', { name: /came 2 times/ })
  expect(row.getAttribute('aria-expanded')).toBe('false')
  await fireEvent.click(row)
  await fireEvent.keyDown(screen.getByRole('treegrid'), { key: 'ArrowRight' })
  expect(await screen.findByRole('row', { name: /Our answer was probably lost Medium/ })).toBeTruthy()
})

test('a second key that comes before the browser tells of the first still takes the keyboard along', async () => {
  open('events')
  await screen.findByRole('row', { name: /Doors open at 9/ })
  void fireEvent.keyDown(window, { key: '3' })
  void fireEvent.keyDown(window, { key: '2' })
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('treegrid')))
})

test('times change zone together', async () => {
  open('events')
  await screen.findByText('09:00:30')
  await fireEvent.keyDown(window, { key: 'z' })
  expect(await screen.findByText('08:00:30')).toBeTruthy()
})

test('ask again sends the job, and only where it is offered', async () => {
  jobs = [jobRow(), jobRow({ job: 'job_2', text: 'Doors open at 10.', ask_again: { offered: false, why: 'Its key is gone.' } })]
  const host = open('posts', { ask_again: () => jobRow() })
  await fireEvent.click(await screen.findByRole('row', { name: /Market day/ }))
  await fireEvent.click(await screen.findByRole('button', { name: 'Ask again' }))
  expect(host.argsOf('ask_again')).toEqual([{ job: 'job_31', forecast: 'forecast_1' }])

  await fireEvent.click(screen.getByRole('row', { name: /Doors open at 10/ }))
  expect(await screen.findByText('Its key is gone.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Ask again' })).toBeNull()
})

test('a post is sent once, with the words, the account and the local time as typed', async () => {
  const host = open('posts', { submit: () => jobRow() })
  await fireEvent.click(await screen.findByRole('button', { name: 'Compose' }))
  await fireEvent.input(screen.getByLabelText('Words'), { target: { value: 'Doors open at 9.' } })
  await fireEvent.click(await screen.findByRole('checkbox', { name: /LinkedIn/ }))
  await fireEvent.click(screen.getByRole('radio', { name: 'Later' }))
  await fireEvent.input(screen.getByLabelText('Date'), { target: { value: '2027-03-28' } })
  await fireEvent.input(screen.getByLabelText('Time'), { target: { value: '02:30' } })
  expect(await screen.findByText(/does not exist in Europe\/Paris/)).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Plan post' }))
  expect(host.argsOf('submit'), 'a time that does not exist is never sent').toEqual([])

  await fireEvent.input(screen.getByLabelText('Time'), { target: { value: '09:00' } })
  const plan = screen.getByRole('button', { name: 'Plan post' })
  await Promise.all([fireEvent.click(plan), fireEvent.click(plan)])
  await waitFor(() => expect(host.argsOf('submit')).toHaveLength(1))
  expect(host.argsOf('submit')[0]).toMatchObject({
    content: 'Doors open at 9.',
    targets: [{ platform: 'linkedin', account: 'ac_li_04' }],
    scheduled_for: '2027-03-28T09:00',
    timezone: 'Europe/Paris',
  })
})

test.each([
  ['the real log, when another window leaves practice', { data_dir: '/home/ada/.local/share/reprise/practice' }],
  ['another workspace, when another window changes it', { workspace: { ...theWorkspace, id: 2 } }],
])('what was begun elsewhere is never sent to %s', async (_, before) => {
  let status = statusOf(before)
  const host = open('posts', { status: () => status })
  await fireEvent.click(await screen.findByRole('button', { name: 'Compose' }))
  await fireEvent.input(screen.getByLabelText('Words'), { target: { value: 'Only to try it.' } })
  await fireEvent.click(await screen.findByRole('checkbox', { name: /LinkedIn/ }))
  host.notice()
  await waitFor(() => expect(host.argsOf('preflight').length).toBeGreaterThan(0))
  expect(screen.getByLabelText('Words'), 'news of the same log leave the form alone').toHaveProperty('value', 'Only to try it.')

  status = statusOf()
  host.notice()
  await waitFor(() => expect(screen.queryByLabelText('Words')).toBeNull())
  expect(host.argsOf('submit')).toEqual([])
})

test('an act that is refused is said in the words of the core', async () => {
  open('posts')
  await fireEvent.click(await screen.findByRole('row', { name: /Market day/ }))
  await fireEvent.click(await screen.findByRole('button', { name: 'Ask again' }))
  expect(await screen.findByText('No answer to ask_again.')).toBeTruthy()
})

test('a first run connects with a key that only goes in', async () => {
  let workspace = false
  const host = open('events', {
    status: () => statusOf(workspace ? {} : { workspace: null }),
    save_workspace: () => {
      workspace = true
      return { workspaces: [], secrets_in: 'keychain', secrets_say: '', providers: [] }
    },
  })
  await fireEvent.input(await screen.findByLabelText('API key'), { target: { value: 'pk_1' } })
  await fireEvent.click(screen.getByRole('button', { name: 'Connect' }))
  expect(await screen.findByRole('treegrid', { name: 'Events' })).toBeTruthy()
  expect(host.argsOf('save_workspace')).toEqual([
    { name: 'Pozy', base_url: 'https://api.pozy.ai', provider: 'pozy', api_key: 'pk_1' },
  ])
  expect(document.body.innerHTML, 'the key is nowhere on the page').not.toContain('pk_1')
})

test('a program that listens nowhere says so', async () => {
  const receiver = { ...statusOf().receiver, listening: false, url: null, problem: 'Port 8787 is taken by another program.' }
  open('events', { status: () => statusOf({ receiver }) })
  expect(await screen.findByText('Not listening')).toBeTruthy()
  expect(screen.getByText('Port 8787 is taken by another program.')).toBeTruthy()
})

test('another port is kept, and one of the system is not even asked for', async () => {
  const host = open('settings', { save_receiver: () => statusOf() })
  const port = await screen.findByLabelText('Port to listen on')
  const use = screen.getByRole('button', { name: 'Use this port' }) as HTMLButtonElement
  await fireEvent.input(port, { target: { value: '80' } })
  expect(use.disabled).toBe(true)
  await fireEvent.input(port, { target: { value: '8788' } })
  await fireEvent.click(use)
  await waitFor(() => expect(host.argsOf('save_receiver')).toEqual([{ port: 8788 }]))
})

test('a key of its own has the frames timed, which no list of keys names', async () => {
  open('events')
  await screen.findByRole('treegrid', { name: 'Events' })
  await fireEvent.keyDown(window, { key: 'F9', shiftKey: true })
  const panel = screen.getByTestId('frames')
  await waitFor(() => expect(Number(panel.dataset['frames'])).toBeGreaterThan(4))
  await fireEvent.click(within(panel).getByRole('button', { name: 'Start over' }))
  expect(Number(panel.dataset['frames'])).toBe(0)
  await fireEvent.keyDown(window, { key: '?' })
  const keys = await screen.findByRole('dialog', { name: 'Keys' })
  expect(within(keys).queryByText('Time the frames')).toBeNull()
  await fireEvent.click(within(panel).getByRole('button', { name: 'Close' }))
  expect(screen.queryByTestId('frames')).toBeNull()
})
