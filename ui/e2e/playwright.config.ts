import { defineConfig, devices } from '@playwright/test'

// The screens in Debian's Chromium, on the real core: each test starts its own `reprise serve` and sandbox on ports
// of their own. One at a time, since times are part of what is tested.
export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  workers: 1,
  timeout: 60_000,
  expect: { timeout: 15_000 },
  // A test that passes only when it is run again is listed as flaky at the end.
  retries: process.env['CI'] ? 1 : 0,
  reporter: 'line',
  forbidOnly: true,
  use: {
    ...devices['Desktop Chrome'],
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    timezoneId: 'Europe/Paris',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
