import { join } from 'node:path'
import { defineConfig } from '@playwright/test'
import { browserOptions } from './browser.mjs'
import { runFolder } from './folders.mjs'

export default defineConfig({
  testDir: 'tests',
  globalSetup: './setup.mjs',
  outputDir: join(runFolder(), 'results'),
  fullyParallel: true,
  workers: 2,
  // Other programs may keep the machine busy: what takes long is no failure, and what needs a second try is listed.
  retries: 1,
  timeout: 300_000,
  expect: { timeout: 90_000 },
  reporter: [['dot'], ['./runReport.mjs']],
  forbidOnly: Boolean(process.env.CI),
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    launchOptions: browserOptions(),
    trace: 'off',
  },
})
