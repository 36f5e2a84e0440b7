import { defineConfig } from 'vitest/config'

/** Our decisions beside Karmada's own functions, without any engine: `npm run test:decisions`. Needs Go. */
export default defineConfig({
  test: {
    include: ['test/real/decisions/**/*.test.ts'],
    globalSetup: ['test/real/decisions/build-oracle.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
})
