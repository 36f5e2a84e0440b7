import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command, InvalidArgumentError, Option } from 'commander'
import { type Baseline, readBaseline, writeBaseline } from './baseline.js'
import { ROUTINE_FILES } from './specs.js'
import { runSuite, type SpecResult } from './suite.js'
import { startTarget, TARGETS, type TargetName } from './target.js'

/** `npm run karmada:e2e`: Karmada's own end-to-end suite, against the playground or against real Karmada. See README.md here. */

interface Options {
  readonly target: TargetName
  readonly file: readonly string[]
  readonly focus?: string
  readonly minutes: number
  readonly writeBaseline: boolean
}

const say = (line: string): void => console.error(line)

async function run(options: Options): Promise<number> {
  const { file: files, focus, minutes } = options
  const folder = mkdtempSync(join(tmpdir(), 'kairship-karmada-e2e-'))
  const target = await startTarget(options.target, say, files)
  // The suite gets the signal too, as it is of this process's group: it ends its spec, reports, and we go on from there.
  const wait = () => say('interrupted: waiting for the spec that is under way')
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, wait)
  let results: readonly SpecResult[]
  try {
    results = await runSuite(target, { files, focus, minutes, folder }, say)
  } finally {
    await target.close()
  }
  for (const { passed, seconds, file, name, failedAt } of results)
    console.log(
      `${passed ? 'passed' : 'FAILED'} ${seconds.toFixed(1).padStart(6)} s  ${file}: ${name}${failedAt ? ` (${failedAt})` : ''}`,
    )
  if (options.writeBaseline) writeBaseline(results)
  return judge(results, readBaseline(), options)
}

/** Prints `passed/baseline` as the last line. @returns the exit code: 0 when all of the baseline passed */
function judge(
  results: readonly SpecResult[],
  baseline: Baseline,
  { file: files, focus }: Pick<Options, 'file' | 'focus'>,
): number {
  const pattern = new RegExp(focus ?? '')
  const expected = files.flatMap(file =>
    (baseline[file] ?? [])
      .filter(name => pattern.test(name.replaceAll(' › ', ' ')))
      .map(name => `${file}: ${name}`),
  )
  const passed = new Set(results.filter(one => one.passed).map(({ file, name }) => `${file}: ${name}`))
  const missing = expected.filter(spec => !passed.has(spec))
  for (const spec of missing) say(`passes on real Karmada, and not here: ${spec}`)
  for (const file of files)
    if (!baseline[file]) say(`${file} has no baseline: --target real --write-baseline`)
  console.log(`${expected.length - missing.length}/${expected.length}`)
  return missing.length === 0 ? 0 : 1
}

const positive = (value: string): number => {
  const number = Number(value)
  if (!(number > 0)) throw new InvalidArgumentError('it must be a number above 0')
  return number
}

const program = new Command('karmada:e2e')
  .description("runs Karmada's own end-to-end suite; the last line is passed/baseline")
  .addOption(new Option('--target <name>', 'what it is run against').choices(TARGETS).makeOptionMandatory())
  .option('--file <name...>', 'files of the suite without _test.go', ROUTINE_FILES)
  .option('--focus <regex>', 'only specs whose name matches')
  .option('--minutes <number>', 'how long it may take; what has not run by then has failed', positive, 40)
  .option('--write-baseline', 'with --target real: what passes becomes the baseline of these files', false)
  .action(async (options: Options) => {
    if (options.writeBaseline && options.target !== 'real')
      program.error('--write-baseline needs --target real: the baseline is what passes there')
    process.exitCode = await run(options)
  })

await program.parseAsync().catch((problem: unknown) => {
  console.error(problem instanceof Error ? problem.message : problem)
  process.exitCode = 1
})
