// Runs tests with vitest, and writes the results as JSON; later runs files with a failure a second time, alone, and merges the results
// of both into that file: CI does so when nothing else of it runs any more.
// Usage: node .ci/suite.mjs NAME RESULTS.json [argument of "vitest run"]…
//        node .ci/suite.mjs --again RESULTS.json
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { filesToRepeat, MOST_FILES, merged } from './second-run.mjs'

const vitest = resolve('node_modules/vitest/vitest.mjs')
const reporter = join(import.meta.dirname, 'record.mjs')

/**
 * A suite as it was run first, and what became of it.
 * @typedef {object} Suite
 * @property {string} name
 * @property {string} seed what properties drew their values with; the second run draws the same, so a counterexample is found again
 * @property {string} node the program that ran it
 * @property {string[]} words arguments of "vitest run"
 * @property {import('./second-run.mjs').Judged[]} results
 */

/**
 * Runs vitest. A run that broke off or failed without a failed test is a failure itself.
 * @param {Omit<Suite, 'results'>} suite
 * @param {string[]} more arguments
 * @returns {Promise<import('./record.mjs').Result[]>}
 */
async function run({ seed, node, words }, more = []) {
  const folder = mkdtempSync(join(tmpdir(), 'kairship-ci-'))
  const record = join(folder, 'record.json')
  const child = spawn(
    node,
    [vitest, 'run', ...words, '--reporter=default', `--reporter=${reporter}`, ...more],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        PATH: [dirname(node), process.env.PATH].join(delimiter),
        KAIRSHIP_CI_RECORD: record,
        KAIRSHIP_SEED: seed,
      },
    },
  )
  const end = await new Promise((done, failed) => {
    child.once('error', failed)
    child.once('exit', (code, signal) => done(code ?? signal))
  })
  const results = existsSync(record) ? JSON.parse(readFileSync(record, 'utf8')) : []
  rmSync(folder, { recursive: true })
  if (end !== 0 && !results.some(({ state }) => state === 'failed'))
    results.push({
      file: '',
      name: '(the run)',
      isTest: false,
      state: 'failed',
      message: `vitest ended with ${end}, and no test says why: see its output.`,
    })
  return results
}

/** @returns {Promise<Suite>} */
async function first(name, words) {
  const seed = process.env.KAIRSHIP_SEED ?? String(Math.floor(Math.random() * 2 ** 31))
  console.log(`KAIRSHIP_SEED=${seed}`)
  const suite = { name, seed, node: process.execPath, words }
  return { ...suite, results: await run(suite) }
}

/** @param {Suite} suite @returns {Promise<Suite>} */
async function again(suite) {
  const { name, results } = suite
  const files = filesToRepeat(results)
  if (files.length > 0) {
    console.log(`\n== ${name}: files with a failed test, a second time, alone`)
    const second = await run(suite, ['--no-file-parallelism', ...files.map(path => resolve(path))])
    const ofThem = second.filter(({ file }) => files.includes(file))
    const repeated = files.filter(path => ofThem.some(({ file }) => file === path))
    return { ...suite, results: merged(results, ofThem, repeated) }
  }
  if (results.some(({ state }) => state === 'failed'))
    console.log(`\n== ${name}: no second run; that is for failures in 1 to ${MOST_FILES} files`)
  return suite
}

const [name, file, ...words] = process.argv.slice(2)
const suite =
  name === '--again' ? await again(JSON.parse(readFileSync(file, 'utf8'))) : await first(name, words)
writeFileSync(file, JSON.stringify(suite))
process.exitCode = suite.results.some(({ state }) => state === 'failed') ? 1 : 0
