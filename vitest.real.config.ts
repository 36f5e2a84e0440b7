import { defineConfig } from 'vitest/config'

/** What needs no engine of the stack, but programs of its own. */
const apart = [
  'test/real/suites/{generators,image,insight,karmada-e2e,karmadactl}.test.ts',
  'test/real/decisions/**/*.test.ts',
]

/** The suites that need real engines: `npm run test:real`. What needs no stack is a project of its own (docs/adr/0094). */
export default defineConfig({
  test: {
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Engines are ended in order, one of them with a minute of patience.
    teardownTimeout: 120_000,
    setupFiles: ['test/seed.ts'],
    // One after the other: suites break and mend the same engines.
    fileParallelism: false,
    projects: [
      {
        extends: true,
        test: {
          name: 'stack',
          include: ['test/real/suites/**/*.test.ts', 'test/real/differential/**/*.test.ts'],
          exclude: apart,
          globalSetup: ['test/real/global-setup.ts'],
        },
      },
      {
        extends: true,
        test: { name: 'apart', include: apart, globalSetup: ['test/real/decisions/build-oracle.ts'] },
      },
    ],
  },
})
