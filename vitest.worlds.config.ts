import { defineConfig } from 'vitest/config'

/** Histories that change Clusters, on the playground's Karmada and a real one of their own: `npm run test:worlds`. */
export default defineConfig({
  test: {
    include: ['test/real/worlds/**/*.test.ts'],
    setupFiles: ['test/seed.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 600_000,
    teardownTimeout: 120_000,
    fileParallelism: false,
  },
})
