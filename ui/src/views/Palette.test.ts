import { fireEvent, render, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, expect, test } from 'vitest'

import App from '../App.svelte'
import { Desk } from '../state/desk.svelte'
import { type Answers, TableHost } from '../testing/host'
import { eventRow } from '../testing/rows'

/** The program at its settings, with the command box open. */
async function box(answers: Answers = {}): Promise<{ desk: Desk; field: HTMLElement }> {
  location.hash = '#/settings'
  const desk = new Desk(
    new TableHost({
      workspaces: () => ({ workspaces: [], secrets_in: 'keychain', secrets_say: '', providers: ['pozy'] }),
      habits: () => ({ keep_receiving: true, notices: true }),
      set_aside: () => ({ waiting: 0, most: 1_000 }),
      events: () => ({ rows: [], next: null, looked: null }),
      posts: () => ({ rows: [], next: null }),
      accounts: () => ({ accounts: [], problem: null }),
      ...answers,
    }),
  )
  render(App, { desk })
  await screen.findByRole('heading', { name: 'Settings' })
  await fireEvent.keyDown(window, { key: 'k', ctrlKey: true })
  return { desk, field: within(await screen.findByRole('dialog')).getByRole('combobox') }
}

const chosen = (): string => within(screen.getByRole('dialog')).getByRole('option', { selected: true }).textContent ?? ''

afterEach(() => localStorage.clear())

test('typing narrows it, the arrows choose, Enter goes there', async () => {
  const { desk, field } = await box()
  await fireEvent.input(field, { target: { value: 'e' } })
  await waitFor(() => expect(chosen()).toContain('Events'))
  const all = within(screen.getByRole('dialog')).getAllByRole('option').length
  expect(all).toBeGreaterThan(1)
  await fireEvent.keyDown(field, { key: 'ArrowUp' })
  expect(within(screen.getByRole('dialog')).getAllByRole('option').at(-1)?.getAttribute('aria-selected'), 'up from the first is the last').toBe('true')
  expect(field.getAttribute('aria-activedescendant')).toBe(within(screen.getByRole('dialog')).getByRole('option', { selected: true }).id)
  await fireEvent.keyDown(field, { key: 'ArrowDown' })
  await fireEvent.keyDown(field, { key: 'Enter' })
  await waitFor(() => expect(desk.screen).toBe('events'))
  expect(screen.queryByRole('dialog'), 'what was done closes the box').toBeNull()
})

test('an id leads to its message, an id that the log does not know to nothing, and neither is a trouble', async () => {
  const { desk, field } = await box({
    why_look: ({ text }) => ({ things: [{ kind: 'event', value: text, known: text === 'ev_1' }] }),
    event: () => eventRow(),
    event_arrivals: () => [],
  })
  await fireEvent.input(field, { target: { value: 'po_404' } })
  expect(await screen.findByText('Nothing fits. Try fewer words, or an id.')).toBeTruthy()
  await fireEvent.input(field, { target: { value: 'ev_1' } })
  expect(await screen.findByRole('option', { name: 'Why twice? ev_1' })).toBeTruthy()
  await fireEvent.click(await screen.findByRole('option', { name: 'Message ev_1' }))
  await waitFor(() => expect(desk.screen).toBe('events'))
  expect(await screen.findByRole('region', { name: 'Selected message' })).toBeTruthy()
  expect(desk.trouble).toBeNull()
})

test('an answer to words typed before is not shown', async () => {
  const { desk, field } = await box()
  const answers: ((title: string) => void)[] = []
  desk.palette.provide({
    group: 'Slow',
    rank: 5,
    offers: (words) => new Promise((done) => answers.push(() => done([{ key: words, title: `slow ${words}`, run: () => undefined }]))),
  })
  await waitFor(() => expect(answers.length).toBe(1))
  await fireEvent.input(field, { target: { value: 'zzz' } })
  await waitFor(() => expect(answers.length).toBe(2))
  answers[1]?.('')
  expect(await screen.findByRole('option', { name: 'slow zzz' })).toBeTruthy()
  answers[0]?.('')
  await Promise.resolve()
  expect(within(screen.getByRole('dialog')).getAllByRole('option')).toHaveLength(1)
})

test('what the log holds of the words stands by kind, marked, below what can be done, and opens its place', async () => {
  const at = { ms: 1_772_445_600_000, text: '2026-03-02T10:00:00Z' }
  const text = [
    { text: 'The ', hit: false },
    { text: 'theme', hit: true },
    { text: ' of the fair', hit: false },
  ]
  const hit = { id: 'ev_7', seq: null, by: 'words' as const, at, name: 'post.published', text }
  const { desk, field } = await box({
    search: () => ({ hits: [{ ...hit, kind: 'message' }, { ...hit, kind: 'post', id: 'po_7', name: null }], next: null, looked: null, index: { upto: 1, of: 1 } }),
    event: () => eventRow(),
    event_arrivals: () => [],
  })
  await fireEvent.input(field, { target: { value: 'theme' } })
  const message = within(await screen.findByRole('group', { name: 'Messages' })).getByRole('option')
  expect(message.querySelector('mark')?.textContent).toBe('theme')
  expect(message.textContent).toContain('The theme of the fair')
  expect(within(screen.getByRole('group', { name: 'Posts' })).getByRole('option').textContent).toContain('po_7')
  await screen.findByRole('option', { name: /Show all in Events: theme/ })
  const options = screen.getAllByRole('option').map((one) => one.textContent)
  expect(options.findIndex((one) => one.includes('ev_7')), 'what comes late moves nothing that is chosen').toBeGreaterThan(0)
  expect(options.at(-1)).toContain('Show all in Events: theme')
  await fireEvent.click(message)
  await waitFor(() => expect(desk.address.query.get('event')).toBe('ev_7'))
})
