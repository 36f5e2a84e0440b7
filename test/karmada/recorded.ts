import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'

const folder = join(import.meta.dirname.replace(/\/dist\//, '/'), 'recorded')

/** The same scenarios in every run: what was recorded is the answers to them, in this order. */
export const sampled = <T>(scenarios: fc.Arbitrary<T>, numRuns = 1_000): readonly T[] =>
  fc.sample(scenarios, { numRuns, seed: 20_261_122 })

/** Karmada's answers to the sampled scenarios, a line each. */
export const recordedAnswers = (name: string): readonly string[] =>
  readFileSync(join(folder, `${name}.txt`), 'utf8')
    .trimEnd()
    .split('\n')

export const record = (name: string, answers: readonly string[]): void =>
  writeFileSync(join(folder, `${name}.txt`), `${answers.join('\n')}\n`)
