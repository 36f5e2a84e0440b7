import { defineConfig } from 'vitest/config'

/** The suites that need what `.ci/services` and `.ci/generators` fetch, and no other engine: `npm run test:services`. */
export default defineConfig({
  test: {
    include: ['test/real/suites/{insight,image,generators}.test.ts'],
    setupFiles: ['test/seed.ts'],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    fileParallelism: false,
  },
})
