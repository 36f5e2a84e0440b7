import { defineConfig } from 'vitest/config'

/** The playground's Karmada beside the real one: `npm run test:differential`. Needs the real engines. */
export default defineConfig({
  test: {
    include: ['test/real/differential/**/*.test.ts'],
    globalSetup: ['test/real/global-setup.ts'],
    setupFiles: ['test/seed.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    fileParallelism: false,
  },
})
