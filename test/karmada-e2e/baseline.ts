import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { repositoryFolder } from '../real/repository.js'
import type { SpecResult } from './suite.js'

const file = join(repositoryFolder, 'test', 'karmada-e2e', 'baseline.json')
const schema = z.record(z.string(), z.array(z.string()))

/** The names of the specs that pass on real Karmada in our stack, by file of the suite. */
export type Baseline = Readonly<Record<string, readonly string[]>>

export const readBaseline = (): Baseline => schema.parse(JSON.parse(readFileSync(file, 'utf8')))

/** Replaces the baseline of the files that were run. */
export function writeBaseline(results: readonly SpecResult[]): void {
  const written: Record<string, readonly string[]> = { ...readBaseline() }
  for (const name of new Set(results.map(one => one.file)))
    written[name] = results
      .filter(one => one.file === name && one.passed)
      .map(one => one.name)
      .sort()
  const sorted = Object.fromEntries(Object.entries(written).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(file, `${JSON.stringify(sorted, null, 2)}\n`)
}
