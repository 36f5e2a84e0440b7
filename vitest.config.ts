import { defineConfig } from 'vitest/config'

/** Unit, property and scenario tests; what needs real engines lives behind `npm run test:real`. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/real/**', 'node_modules/**', 'dist/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Two workers: the machines this must pass on have two cores, and more only makes timers late.
    maxWorkers: 2,
  },
})
