import { build } from './build.js'

/** `npm run real:build`: builds every program, also those only work by hand needs, unless `--for-suites` is said. */
await build(line => console.error(line), !process.argv.includes('--for-suites')).catch((problem: unknown) => {
  console.error(problem instanceof Error ? problem.message : problem)
  process.exit(1)
})
