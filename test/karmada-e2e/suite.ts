import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { buildNamed, moduleFolder, programPath } from '../real/build.js'
import { startClusterSite } from './cluster-site.js'
import { LEFT_OUT } from './specs.js'
import type { Target } from './target.js'

/** What became of a spec. Ginkgo's other states (`timedout`, `panicked`, `interrupted` …) are failures. */
export interface SpecResult {
  /** The file of the suite, without `_test.go`. */
  readonly file: string
  /** The texts of its containers and its own, joined. */
  readonly name: string
  readonly passed: boolean
  readonly seconds: number
  /** The line of the suite, or of its framework, that failed. */
  readonly failedAt?: string
}

/** Which specs are run, and for how long. */
export interface SuiteRun {
  /** Names of files without `_test.go`. */
  readonly files: readonly string[]
  /** A regular expression that a spec's name must match. */
  readonly focus?: string | undefined
  readonly minutes: number
  /** Where the report and the log are written. */
  readonly folder: string
}

const reportSchema = z.array(
  z.object({
    SpecReports: z
      .array(
        z.object({
          ContainerHierarchyTexts: z.array(z.string()).nullish(),
          LeafNodeText: z.string(),
          LeafNodeType: z.string(),
          LeafNodeLocation: z.object({ FileName: z.string() }).partial().nullish(),
          State: z.string(),
          RunTime: z.number(),
          Failure: z
            .object({ Location: z.object({ FileName: z.string(), LineNumber: z.number() }).partial() })
            .partial()
            .nullish(),
        }),
      )
      .nullish(),
  }),
)

/**
 * Runs specs of Karmada's end-to-end suite against a control plane. What fails to come up (a suite without its two ready
 * clusters) is a spec of its own that failed.
 * @throws Error when the suite cannot be built or leaves no report
 */
export async function runSuite(
  { kubeconfig, context }: Target,
  { files, focus, minutes, folder }: SuiteRun,
  report: (line: string) => void,
): Promise<readonly SpecResult[]> {
  await buildNamed('karmada-e2e', report)
  await buildNamed('karmadactl', report)
  // Where the suite looks for it: $GOPATH/bin.
  const gopath = join(folder, 'go')
  mkdirSync(join(gopath, 'bin'), { recursive: true })
  symlinkSync(programPath('karmadactl'), join(gopath, 'bin/karmadactl'))
  const results = join(folder, 'report.json')
  const args = [
    ...['--ginkgo.no-color', `--ginkgo.label-filter=${LEFT_OUT}`, `--ginkgo.json-report=${results}`],
    ...files.map(file => `--ginkgo.focus-file=/${file}_test.go$`),
    ...(focus === undefined ? [] : [`--ginkgo.focus=${focus}`]),
    ...[`--ginkgo.timeout=${minutes}m`, '--poll-interval=200ms', '--poll-timeout=60s'],
    ...['--karmada-context', context, '--host-context', context],
  ]
  // A few specs read files beside theirs.
  const cwd = join(moduleFolder('karmada', 'github.com/karmada-io/karmada'), 'test/e2e/suites/base')
  const log = join(folder, 'suite.log')
  report(`the suite runs, for ${minutes} minutes at most; its log: ${log}`)
  const clusters = await startClusterSite()
  // Its own home: specs write kubeconfigs of the clusters that they create below it.
  const env = { KUBECONFIG: kubeconfig, GOPATH: gopath, HOME: folder, KAIRSHIP_CLUSTERS: clusters.url }
  try {
    await ended(programPath('karmada-e2e'), args, { cwd, env, log, report })
  } finally {
    await clusters.close()
  }
  return read(results)
}

function read(file: string): readonly SpecResult[] {
  const [suite] = reportSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  return (suite?.SpecReports ?? [])
    .filter(({ State, LeafNodeType }) => State !== 'skipped' && (LeafNodeType === 'It' || State !== 'passed'))
    .map(({ ContainerHierarchyTexts, LeafNodeText, LeafNodeType, LeafNodeLocation, ...spec }) => ({
      file: baseName(LeafNodeLocation?.FileName).replace(/_test\.go$/, ''),
      name: [...(ContainerHierarchyTexts ?? []), LeafNodeText || LeafNodeType].join(' › '),
      passed: spec.State === 'passed',
      seconds: spec.RunTime / 1e9,
      ...(spec.State !== 'passed' && { failedAt: placeOf(spec.Failure?.Location) }),
    }))
}

const baseName = (path = ''): string => path.slice(path.lastIndexOf('/') + 1)
const placeOf = (location?: { FileName?: string | undefined; LineNumber?: number | undefined }): string =>
  location ? `${baseName(location.FileName)}:${location.LineNumber}` : 'nowhere that the report names'

/** Milliseconds between two lines of progress. */
const PROGRESS_MS = 15_000

interface Running {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly log: string
  readonly report: (line: string) => void
}

/** Resolves when the program has ended, however: its report tells. Interrupted, it ends the spec that is under way and reports. */
function ended(program: string, args: readonly string[], { cwd, env, log, report }: Running): Promise<void> {
  return new Promise((resolve, reject) => {
    const output = openSync(log, 'w')
    const child = spawn(program, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
    })
    closeSync(output)
    const progress = setInterval(() => {
      const text = readFileSync(log, 'utf8')
      const [passed, failed] = [text.split('•').length - 1, text.split('• [').length - 1]
      report(`${passed} specs have ended, ${failed} of them failed`)
    }, PROGRESS_MS)
    child.once('error', reject)
    child.once('close', () => {
      clearInterval(progress)
      resolve()
    })
  })
}
