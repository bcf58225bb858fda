import { afterEach, beforeEach, expect, test } from 'vitest'

import { TableHost } from '../testing/host'
import { desktopWords } from '../words/desktop'
import { Desk } from './desk.svelte'
import { chordOf } from './keymap'

let host: TableHost
let desk: Desk
let end: () => void

beforeEach(() => {
  location.hash = ''
  host = new TableHost()
  desk = new Desk(host)
  end = desk.start()
})
afterEach(() => {
  end()
  localStorage.clear()
})

test('a notice of the desktop leads to its post, a menu to its screen', () => {
  host.go({ kind: 'job', id: 'job_31' })
  expect(location.hash).toBe('#/posts?job=job_31')

  host.go({ kind: 'set_aside' })
  expect(location.hash).toBe('#/events?only=set_aside')

  host.go({ kind: 'screen', id: 'settings' })
  expect(location.hash).toBe('#/settings')
  host.go({ kind: 'screen', id: 'nowhere' })
  expect(location.hash).toBe('#/settings')
})

test('the menu changes looks and zone as the screens do', () => {
  host.go({ kind: 'theme', id: 'dark' })
  expect(desk.taste.theme).toBe('dark')
  host.go({ kind: 'theme', id: 'plaid' })
  expect(desk.taste.theme).toBe('dark')
  const before = desk.taste.zone
  host.go({ kind: 'zone' })
  expect(desk.taste.zone).not.toBe(before)
  host.go({ kind: 'palette' })
  expect(desk.palette.open).toBe(true)
  host.go({ kind: 'keys' })
  expect(desk.keysShown).toBe(true)
})

test('files that were handed over wait to be read in', () => {
  host.go({ kind: 'import', paths: ['/tmp/log.jsonl'] })
  expect(desk.brought).toEqual({ paths: ['/tmp/log.jsonl'] })
})

test('the case that is shown is saved by its own key; without one it is said', () => {
  host.go({ kind: 'save_case' })
  expect(desk.trouble).toBe(desktopWords.noCase)
  let saved: string | null = null
  const hear = (event: KeyboardEvent): void => void (saved = chordOf(event, 'why.save'))
  window.addEventListener('keydown', hear)
  desk.screen = 'why'
  host.go({ kind: 'save_case' })
  window.removeEventListener('keydown', hear)
  expect(saved).toBe('Ctrl+S')
})
