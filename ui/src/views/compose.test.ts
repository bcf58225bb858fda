import { fireEvent, render, screen, waitFor } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'

import App from '../App.svelte'
import { Desk } from '../state/desk.svelte'
import { Trouble } from '../host/host'
import { type Answers, TableHost } from '../testing/host'
import { before, forecastRow, jobDetail, jobRow } from '../testing/rows'
import type { ForecastRow } from '../wire/wire'

afterEach(() => sessionStorage.clear())

/** Compose with words and an account, as far as it is foretold. */
async function compose(told: Partial<ForecastRow>, answers: Answers = {}): Promise<TableHost> {
  location.hash = '#/posts'
  let id = 0
  const host = new TableHost({
    posts: () => ({ rows: [], next: null }),
    job: () => jobDetail(jobRow()),
    accounts: () => ({ accounts: [{ id: 'ac_li_04', platform: 'linkedin', name: 'Harbour', connected: true }], problem: null }),
    preflight: () => forecastRow({ id: `f${(id += 1)}`, action: 'submit', ...told }),
    submit: () => jobRow(),
    note: () => ({}),
    ...answers,
  })
  render(App, { desk: new Desk(host) })
  await fireEvent.click(await screen.findByRole('button', { name: 'Compose' }))
  await fireEvent.input(screen.getByLabelText('Words'), { target: { value: 'Tickets are live!' } })
  await fireEvent.click(await screen.findByRole('checkbox', { name: /LinkedIn/ }))
  return host
}

const NEAR: Partial<ForecastRow> = {
  effect: 'creates_second',
  risk: 'blocked',
  because: [{ code: 'near_content', text: 'Differs by one character from a post (po_1) that is live.' }],
  beside: [{ post: 'po_1', job: null, account: 'ac_li_04', text: 'Tickets are live.', since: before(3600), own: false }],
}

test('nearly the same words are said with the difference while they are written', async () => {
  await compose(NEAR)
  expect(await screen.findByText(/Would slip past the check/)).toBeTruthy()
  expect(screen.getByText('One character differs from what is there.')).toBeTruthy()
  expect(document.querySelector('ins')?.textContent).toContain('!')
})

test('what is blocked is sent only after the link, a reason, then the button, and the reason is kept', async () => {
  const host = await compose(NEAR)
  await screen.findByText(/Would slip past the check/)
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send post' }).disabled).toBe(true)
  await fireEvent.keyDown(screen.getByLabelText('Words'), { key: 'Enter', ctrlKey: true })
  await fireEvent.click(screen.getByRole('button', { name: /Do it anyway/ }))
  const reason = await screen.findByLabelText('Why it is sent all the same')
  expect(document.activeElement).toBe(reason)
  await fireEvent.input(reason, { target: { value: 'Two shows, two posts' } })
  await fireEvent.submit(screen.getByRole('form', { name: 'New post' }))
  expect(host.argsOf('submit'), 'neither Enter nor Ctrl Enter').toEqual([])
  await fireEvent.click(screen.getByRole('button', { name: 'Send post' }))
  await waitFor(() => expect(host.argsOf('submit')).toHaveLength(1))
  expect(host.argsOf('submit')[0]?.forecast).toMatch(/^f\d+$/)
  await waitFor(() => expect(host.argsOf('note')).toEqual([{ job: 'job_31', action: 'comment', text: 'Two shows, two posts' }]))
})

test('what needs a word has a button of its own', async () => {
  const host = await compose({ effect: 'cannot_tell', risk: 'confirm', because: [{ code: 'stale_state', text: 'What is stored of the post is too old.' }] })
  await screen.findByRole('button', { name: 'Send post, I accept' })
  await fireEvent.submit(screen.getByRole('form', { name: 'New post' }))
  expect(host.argsOf('submit')).toEqual([])
  await fireEvent.click(screen.getByRole('button', { name: 'Send post, I accept' }))
  await waitFor(() => expect(host.argsOf('submit')).toHaveLength(1))
})

test('a time that comes twice is picked by a person, never silently', async () => {
  const twice: Partial<ForecastRow> = {
    effect: 'cannot_tell',
    risk: 'confirm',
    because: [{ code: 'time_twice', text: 'That time comes twice.' }],
    time_trap: {
      kind: 'twice',
      readings: [
        { text: '25 Oct 02:30 CEST (+02:00)', at: before(0), scheduled_for: '2026-10-25T00:30:00Z', timezone: 'UTC' },
        { text: '25 Oct 02:30 CET (+01:00)', at: before(-3600), scheduled_for: '2026-10-25T01:30:00Z', timezone: 'UTC' },
      ],
    },
  }
  const safe = forecastRow({ action: 'submit', effect: 'creates_first', because: [{ code: 'nothing_there', text: 'None is known.' }] })
  const host = await compose({}, { preflight: (args) => (args.timezone === 'UTC' ? safe : forecastRow({ action: 'submit', ...twice })) })
  await fireEvent.click(screen.getByRole('radio', { name: 'Later' }))
  await fireEvent.input(screen.getByLabelText('Date'), { target: { value: '2027-10-31' } })
  await fireEvent.input(screen.getByLabelText('Time'), { target: { value: '02:30' } })
  const second = await screen.findByRole('button', { name: '25 Oct 02:30 CET (+01:00)' })
  await waitFor(() => expect(screen.getByRole('button', { name: 'Plan post' })).toBeTruthy())
  expect(screen.queryByRole('button', { name: 'Plan post, I accept' }), 'accepting an effect picks no time').toBeNull()
  await fireEvent.submit(screen.getByRole('form', { name: 'New post' }))
  expect(host.argsOf('submit')).toEqual([])
  await fireEvent.click(second)
  expect(await screen.findByText('Planned for 25 Oct 02:30 CET (+01:00).')).toBeTruthy()
  await fireEvent.click(await screen.findByRole('button', { name: 'Plan post' }))
  await waitFor(() => expect(host.argsOf('submit')[0]).toMatchObject({ scheduled_for: '2026-10-25T01:30:00Z', timezone: 'UTC' }))
})

test('why it cannot be looked at is said in place, and nothing is sent', async () => {
  const host = await compose({}, {
    preflight: () => {
      throw new Trouble({ code: 'refused', message: 'No Pozy is connected.' })
    },
  })
  expect(await screen.findByText('No Pozy is connected.')).toBeTruthy()
  await fireEvent.click(screen.getByRole('button', { name: 'Send post' }))
  expect(host.argsOf('submit')).toEqual([])
})
