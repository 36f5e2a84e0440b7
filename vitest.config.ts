import { defineConfig } from 'vitest/config'

/**
 * Unit, property and scenario tests; what needs real engines lives behind `npm run test:real`.
 *
 * Every limit is far above what anything takes: it ends what hangs, and never what is slow. Tests wait for conditions
 * (`test/patience.ts`), with a limit of two minutes, so that what fails says what it waited for before the test's own
 * time is over.
 */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/real/**', 'node_modules/**', 'dist/**'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    // vitest's own default is one second.
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // Processes, so that a busy test delays the timers of no other; two, because the machines this must pass on have two
    // cores, and more only makes everything late.
    pool: 'forks',
    maxWorkers: 2,
  },
})
