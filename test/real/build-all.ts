import { build } from './build.js'

/** `npm run real:build`: builds every program, also those only work by hand needs. */
await build(line => console.error(line), true).catch((problem: unknown) => {
  console.error(problem instanceof Error ? problem.message : problem)
  process.exit(1)
})
