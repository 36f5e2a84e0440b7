// Runs tests with vitest, runs files with a failure a second time, alone, and writes the results of both as JSON.
// Usage: node .ci/suite.mjs NAME RESULTS.json [argument of "vitest run"]…
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { filesToRepeat, MOST_FILES, merged } from './second-run.mjs'

const [name, file, ...words] = process.argv.slice(2)
const folder = mkdtempSync(join(tmpdir(), 'kairship-ci-'))
const vitest = resolve('node_modules/vitest/vitest.mjs')
const reporter = join(import.meta.dirname, 'record.mjs')
// The second run draws the same random values, so a counterexample that a property found is found again.
const seed = process.env.KAIRSHIP_SEED ?? String(Math.floor(Math.random() * 2 ** 31))

/** Runs vitest, and resolves to its results; a run that broke off or failed without a failed test is a failure itself. */
async function run(record, extra) {
  const path = join(folder, record)
  const child = spawn(
    process.execPath,
    [vitest, 'run', ...words, '--reporter=default', `--reporter=${reporter}`, ...extra],
    { stdio: 'inherit', env: { ...process.env, KAIRSHIP_CI_RECORD: path, KAIRSHIP_SEED: seed } },
  )
  const end = await new Promise((done, failed) => {
    child.once('error', failed)
    child.once('exit', (code, signal) => done(code ?? signal))
  })
  const results = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
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

console.log(`KAIRSHIP_SEED=${seed}`)
const first = await run('first.json', [])
const files = filesToRepeat(first)
const failed = first.filter(({ state }) => state === 'failed')
let results = first
if (files.length > 0) {
  console.log(`\n== ${name}: files with a failed test, a second time, alone`)
  const second = await run('second.json', ['--no-file-parallelism', ...files.map(path => resolve(path))])
  results = merged(
    first,
    second.filter(result => files.includes(result.file)),
    files.filter(path => second.some(result => result.file === path)),
  )
} else if (failed.length > 0) {
  console.log(`\n== ${name}: no second run; that is for failures in 1 to ${MOST_FILES} files`)
}
writeFileSync(file, JSON.stringify({ name, seed, results }))
rmSync(folder, { recursive: true })
process.exitCode = results.some(({ state }) => state === 'failed') ? 1 : 0
