// What a person chose for the screens of this computer. Kept by the page alone; nothing of it reaches the core.

import type { ZoneChoice } from './times'

/** The choices. */
export interface Taste {
  theme: 'system' | 'light' | 'dark'
  zone: ZoneChoice
  /** Single letters act on the selection. */
  letters: boolean
}

const KEPT_AS = 'reprise.taste'
const FRESH: Taste = { theme: 'system', zone: 'local', letters: true }

/** What was chosen before; anything missing or odd is the default. */
export function readTaste(kept: string | null): Taste {
  try {
    const found = JSON.parse(kept ?? '{}') as Partial<Record<keyof Taste, unknown>>
    return {
      theme: found.theme === 'light' || found.theme === 'dark' ? found.theme : 'system',
      zone: found.zone === 'utc' || found.zone === 'account' ? found.zone : 'local',
      letters: found.letters !== false,
    }
  } catch {
    return { ...FRESH }
  }
}

/** Reads from the page's storage; a page that may not store gets the defaults. */
export function loadTaste(): Taste {
  try {
    return readTaste(localStorage.getItem(KEPT_AS))
  } catch {
    return { ...FRESH }
  }
}

/** Keeps the choices, if the page may store. */
export function saveTaste(taste: Taste): void {
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(taste))
  } catch {
    // A page without storage keeps them until it closes.
  }
}
