import { defineConfig } from '@playwright/test'

import tests from './playwright.config'

// Pictures of the screens for people: `npm --prefix ui run pictures`. Nothing is judged, so no run of the tests takes them.
export default defineConfig({ ...tests, testMatch: 'pictures.ts', timeout: 900_000, outputDir: '../../target/pictures-run', use: { ...tests.use, actionTimeout: 20_000 } })
