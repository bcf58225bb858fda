// What can be done wherever one is: go to a screen, change looks and times, practise, go to a thing by its id.

import { SCREENS, type Desk } from '../state/desk.svelte'
import { keyText } from '../state/keymap'
import { words } from '../words'
import { imports } from '../words/imports'
import { paletteWords as w } from '../words/palette'
import { why } from '../words/why'
import { fitting } from './match'
import type { Offer, Provider } from './palette.svelte'

/** Every screen. */
function screens(desk: Desk): Provider {
  const numbered = SCREENS.filter((screen) => screen !== 'settings')
  return {
    group: w.groups.go,
    rank: 30,
    offers: (typed) =>
      fitting(
        typed,
        SCREENS.map((screen) => {
          const at = numbered.indexOf(screen as (typeof numbered)[number])
          const about = w.about[screen]
          return {
            key: screen,
            title: w.go(words.screens[screen]),
            icon: screen,
            keys: at < 0 ? keyText('go.settings') : String(at + 1),
            ...(about === undefined ? {} : { note: about }),
            run: () => desk.go(screen),
          }
        }),
      ),
  }
}

/** What the frame itself can do. */
function acts(desk: Desk): Provider {
  const act = async (name: 'start_practice' | 'leave_practice' | 'play_story' | 'leave_case'): Promise<void> => {
    const status = await desk.act(name, {})
    if (status) desk.take(status)
  }
  return {
    group: w.groups.act,
    rank: 31,
    offers: (typed) => {
      const practice = desk.status?.practice
      const offers: Offer[] = [
        ...(['local', 'utc'] as const)
          .filter((zone) => zone !== desk.taste.zone)
          .map((zone) => ({ key: zone, title: w.zone[zone], keys: keyText('zone'), run: () => desk.choose({ zone }) })),
        ...(['system', 'light', 'dark'] as const)
          .filter((theme) => theme !== desk.taste.theme)
          .map((theme) => ({ key: theme, title: w.theme[theme], run: () => desk.choose({ theme }) })),
        { key: 'keys', title: w.keys, keys: keyText('keys'), run: () => (desk.keysShown = true) },
        { key: 'import', title: imports.open, icon: 'import', run: () => (desk.brought = {}) },
        ...(desk.status?.case ? [{ key: 'leave-case', title: imports.leave, run: () => void act('leave_case') }] : []),
        { key: 'connect', title: w.connect, run: () => desk.go('settings') },
        practice
          ? { key: 'leave', title: w.leavePractice, run: () => void act('leave_practice') }
          : { key: 'practise', title: w.practice, run: () => void act('start_practice') },
        ...(practice && !practice.playing ? [{ key: 'story', title: w.story, run: () => void act('play_story') }] : []),
      ]
      return fitting(typed, offers)
    },
  }
}

/** What is selected can be asked about. */
function asking(desk: Desk): Provider {
  return {
    group: w.groups.selection,
    rank: 1,
    offers: (typed) => {
      const { selected } = desk
      if (!selected) return []
      return fitting(typed, [{ key: 'why', title: why.askAbout(selected.value), icon: 'why', keys: keyText('why'), run: () => desk.why([selected]) }])
    },
  }
}

/** Ids as Pozy and this log make them: no blanks, no bare word. */
const ID = /^(?=.*[\d_:-])\S{3,255}$/

/** A message or a job by its exact id. */
function ids(desk: Desk): Provider {
  return {
    group: w.groups.id,
    rank: 20,
    async offers(typed) {
      const id = typed.trim()
      if (!ID.test(id)) return []
      // An id that names nothing is no trouble of the program's, so nobody is told.
      const [event, job] = await Promise.all([
        desk.host.call('event', { event: id }).catch(() => null),
        desk.host.call('job', { job: id }).catch(() => null),
      ])
      const found: Offer[] = []
      if (event) found.push({ key: 'event', title: w.event(id), icon: 'events', ...noted(event.text), run: () => desk.show({ kind: 'event', id }) })
      if (job) found.push({ key: 'job', title: w.job(id), icon: 'posts', ...noted(job.row.text), run: () => desk.show({ kind: 'job', id }) })
      return found
    },
  }
}

function noted(note: string | null): { note?: string } {
  return note === null ? {} : { note }
}

/** Provides what works everywhere; the answer takes it away. */
export function provideFrame(desk: Desk): () => void {
  const ends = [asking(desk), screens(desk), acts(desk), ids(desk)].map((provider) => desk.palette.provide(provider))
  return () => ends.forEach((end) => end())
}
