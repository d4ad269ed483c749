import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const validation = fileURLToPath(new URL('packages/docusaurus-plugin/test/docusaurusValidation.ts', import.meta.url))

export default defineConfig({
  resolve: { alias: { '@docusaurus/utils-validation': validation } },
  test: {
    environment: 'jsdom',
    include: ['packages/*/{src,test}/**/*.test.{ts,tsx}'],
    restoreMocks: true,
    unstubGlobals: true,
    pool: 'threads',
    maxWorkers: 2,
    // Other programs may keep the machine busy.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
