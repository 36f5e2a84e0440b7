import { defineConfig, type ViteUserConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** What starts processes, or many servers and clients at once: such files mostly wait. */
const worlds = [
  'test/scenarios/**/*.test.ts',
  'test/conformance/**/*.test.ts',
  'test/http/proxy/**/*.test.ts',
  'test/contract/wires.test.ts',
  'test/access/**/*.test.ts',
]

/** What drives a browser, as a person does: minutes, so it has a command of its own, `npm run test:browser`. */
const browser = ['test/scenarios/console/**/*.test.ts', 'test/scenarios/login-browser.test.ts']

/** What measures the heap of its process, which must be a new one. */
const alone = ['test/http/live/in-flight.test.ts', 'test/http/read-your-writes/ledger-memory.test.ts']

/** What replaces modules of the program, which vite can do only with those that it loads itself: from their sources. */
const replacing = [
  'test/http/read-your-writes/never-older.test.ts',
  'test/actors/kube/link-local.test.ts',
  'test/actors/fleet/heap-at-rest.test.ts',
  'test/console/session-query.test.ts',
  'test/main.test.ts',
]

/** MiB for what V8 has just allocated. It begins with 1 and collects often, which is a tenth of the CPU of all tests. */
const execArgv = ['--min-semi-space-size=32', '--max-semi-space-size=32']

/** Worlds first: they are long and mostly wait, and would otherwise be what all is waited for in the end. */
class WorldsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isWorld = ({ project }: TestSpecification) => project.name === 'worlds'
    return [...sorted.filter(isWorld), ...sorted.filter(file => !isWorld(file))]
  }
}

/**
 * Unit, property and scenario tests; what needs real engines lives behind `npm run test:real`. `npx vitest` runs them on the
 * sources, `npm test` on what was built of them (`vitest.built.config.ts`).
 *
 * Every limit is far above what anything takes: it ends what hangs, and never what is slow. Tests wait for conditions
 * (`test/patience.ts`), with a limit of two minutes, so that what fails says what it waited for before the test's own
 * time is over.
 */
export const suite = (program: ViteUserConfig = {}): ViteUserConfig => ({
  // As users have it: the packages' builds for development check more, and slower.
  ssr: { resolve: { conditions: ['node'], externalConditions: ['node'] } },
  test: {
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 60_000,
    // vitest's own default is one second.
    expect: { poll: { timeout: 120_000, interval: 20 } },
    // Processes, so that a busy test delays the timers of no other; four, although the machines this must pass on have two
    // cores: worlds mostly wait.
    pool: 'forks',
    maxWorkers: 4,
    // Files follow each other in the same process, which has loaded most of what a file imports: that costs more than most of
    // their tests.
    isolate: false,
    setupFiles: ['test/seed.ts'],
    sequence: { sequencer: WorldsFirst },
    projects: [
      { extends: true, test: { name: 'replacing', include: replacing, execArgv } },
      ...[
        { name: 'worlds', include: worlds, exclude: [...alone, ...browser], execArgv },
        { name: 'browser', include: browser, execArgv },
        // With V8's own limits: one of them counts what a collection of young objects leaves.
        { name: 'alone', include: alone, isolate: true },
        {
          name: 'units',
          include: ['test/**/*.test.ts'],
          exclude: ['test/real/**', ...worlds, ...alone, ...replacing],
          execArgv,
        },
      ].map(test => ({ extends: true as const, ...program, test: { ...test, ...program.test } })),
    ],
  },
})

export default defineConfig(suite())
