import { defineConfig } from '@playwright/test'
import { browserOptions, chromium, plain, scripted, server } from './places.mjs'

export default defineConfig({
  testDir: 'tests',
  outputDir: '.state/results',
  fullyParallel: true,
  workers: 2,
  // A busy machine is no fault of ours; what needs a second try is listed as flaky.
  retries: 2,
  timeout: 60_000,
  expect: { timeout: 20_000 },
  reporter: [['dot'], ['json', { outputFile: '.state/report.json' }]],
  forbidOnly: Boolean(process.env.CI),
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    launchOptions: { ...browserOptions, executablePath: chromium() },
    trace: 'off',
  },
  webServer: [
    {
      command: 'node servers/citebook.mjs',
      url: `${server}/health`,
      timeout: 300_000,
      gracefulShutdown: { signal: 'SIGTERM', timeout: 5000 },
      reuseExistingServer: Boolean(process.env.CITEBOOK_E2E_REUSE),
    },
    { command: 'node servers/sites.mjs', url: plain, reuseExistingServer: Boolean(process.env.CITEBOOK_E2E_REUSE) },
    {
      command: 'node servers/scripted.mjs',
      url: `${scripted}/book/contents`,
      reuseExistingServer: Boolean(process.env.CITEBOOK_E2E_REUSE),
    },
  ],
})
