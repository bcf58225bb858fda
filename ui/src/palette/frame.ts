// What can be done wherever one is: go to a screen, change looks and times, practise, go to a thing by its id.

import { SCREENS, type Desk } from '../state/desk.svelte'
import { keyText } from '../state/keymap'
import { words } from '../words'
import { framesWords } from '../words/frames'
import { imports } from '../words/imports'
import { paletteWords as w } from '../words/palette'
import { why } from '../words/why'
import { fitting } from './match'
import type { Offer, Provider } from './palette.svelte'
import { searchProviders } from './search'

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
        { key: 'frames', title: desk.frames.shown ? framesWords.close : framesWords.open, keys: keyText('frames'), run: () => desk.frames.toggle() },
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

/** What the log has under the very id or address that was typed or pasted. */
function things(desk: Desk): Provider {
  return {
    group: w.groups.id,
    rank: 20,
    async offers(typed) {
      if (typed.trim() === '') return []
      // Read without telling: what cannot be looked up now is simply not offered.
      const look = await desk.host.call('why_look', { text: typed }).catch(() => null)
      return (look?.things ?? []).flatMap((thing) => {
        const { kind, value: id } = thing
        const ask: Offer = { key: `why ${id}`, title: w.why(id), icon: 'why', run: () => desk.why([thing]) }
        if (kind === 'url') return [ask]
        if (!thing.known) return []
        if (kind === 'event') return [{ key: id, title: w.event(id), icon: 'events', run: () => desk.show({ kind, id }) }, ask]
        if (kind === 'job') return [{ key: id, title: w.job(id), icon: 'posts', run: () => desk.show({ kind, id }) }, ask]
        return [ask]
      })
    },
  }
}

/** Provides what works everywhere; the answer takes it away. */
export function provideFrame(desk: Desk): () => void {
  const ends = [asking(desk), screens(desk), acts(desk), things(desk), ...searchProviders(desk)].map((provider) => desk.palette.provide(provider))
  return () => ends.forEach((end) => end())
}
