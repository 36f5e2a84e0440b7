import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What starts processes, or many servers and clients at once: such files mostly wait. */
const worlds = [
  'test/scenarios/**/*.test.ts',
  'test/conformance/**/*.test.ts',
  'test/http/proxy/**/*.test.ts',
]

/** What measures the heap of its process, which must be a new one. */
const alone = ['test/http/proxy/in-flight.test.ts', 'test/http/read-your-writes/ledger-memory.test.ts']

/** Worlds first: they are long and mostly wait, and would otherwise be what all is waited for in the end. */
class WorldsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isWorld = ({ project }: TestSpecification) => project.name === 'worlds'
    return [...sorted.filter(isWorld), ...sorted.filter(file => !isWorld(file))]
  }
}

/**
 * Unit, property and scenario tests; what needs real engines lives behind `npm run test:real`.
 *
 * Every limit is far above what anything takes: it ends what hangs, and never what is slow. Tests wait for conditions
 * (`test/patience.ts`), with a limit of two minutes, so that what fails says what it waited for before the test's own
 * time is over.
 */
export default defineConfig({
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    // vitest's own default is one second.
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // Processes, so that a busy test delays the timers of no other; three, although the machines this must pass on have two
    // cores: worlds mostly wait.
    pool: 'forks',
    maxWorkers: 3,
    // Files follow each other in the same process, which has loaded most of what a file imports: that costs more than most of
    // their tests.
    isolate: false,
    setupFiles: ['test/seed.ts'],
    sequence: { sequencer: WorldsFirst },
    projects: [
      { extends: true, test: { name: 'worlds', include: worlds, exclude: alone } },
      { extends: true, test: { name: 'alone', include: alone, isolate: true } },
      {
        extends: true,
        test: {
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**', ...worlds, ...alone],
        },
      },
    ],
  },
})
