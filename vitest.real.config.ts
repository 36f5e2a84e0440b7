import { defineConfig } from 'vitest/config'

/** The suites that need real engines: `npm run test:real`. */
export default defineConfig({
  test: {
    include: [
      'test/real/suites/**/*.test.ts',
      'test/real/decisions/**/*.test.ts',
      'test/real/differential/**/*.test.ts',
    ],
    globalSetup: ['test/real/global-setup.ts'],
    setupFiles: ['test/seed.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Engines are ended in order, one of them with a minute of patience.
    teardownTimeout: 120_000,
    // One after the other: suites break and mend the same engines.
    fileParallelism: false,
  },
})
