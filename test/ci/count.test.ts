import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const program = resolve(import.meta.dirname, '../../.ci/count.mjs')

const passed = (name = 'is well') => ({
  file: 'test/a.test.ts',
  name,
  isTest: true,
  state: 'passed',
  message: '',
})
const failed = (name = 'is ill', message = 'Error: ill\n    at test/a.test.ts:1:1') => ({
  ...passed(name),
  state: 'failed',
  message,
})
const once = (failedOnce: 'first' | 'second', name: string) => ({
  ...failed(name, `only in the ${failedOnce} run`),
  state: 'passed',
  failedOnce,
})
const outside = { ...failed('(outside of its tests)', 'Error: not loaded'), isTest: false }
const suite = (results: readonly object[], name = 'units on Node.js 24') =>
  JSON.stringify({ name, seed: '7', results })

/** What `.ci/count.mjs` prints and says of a folder with these files. */
async function count(files: Readonly<Record<string, string>>): Promise<{ code: number; lines: string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'kairship-count-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  try {
    return await new Promise(done => {
      execFile(process.execPath, [program, folder], (error, stdout) =>
        done({ code: Number(error?.code ?? 0), lines: stdout.trimEnd().split('\n') }),
      )
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it('adds up all suites in one line', async () => {
  const files = {
    'one.json': suite([passed(), { ...passed(), state: 'skipped' }]),
    'two.json': suite([passed()]),
  }
  expect(await count(files)).toEqual({ code: 0, lines: ['2 passed, 0 failed, 1 skipped'] })
})

it('names each failure with suite, seed, file and message before the last line', async () => {
  expect(await count({ 'one.json': suite([failed(), passed()]) })).toEqual({
    code: 1,
    lines: [
      '== failed',
      '[units on Node.js 24, seed 7] test/a.test.ts > is ill',
      '    Error: ill',
      '        at test/a.test.ts:1:1',
      '1 passed, 1 failed',
    ],
  })
})

it('counts a file that failed outside of its tests as one failure', async () => {
  const { code, lines } = await count({ 'one.json': suite([outside, passed()]) })
  expect(code).toBe(1)
  expect(lines.at(-1)).toBe('1 passed, 1 failed')
})

it('names what passed in one of two runs right before the last line, and succeeds', async () => {
  const results = [
    once('first', 'late'),
    once('second', 'later'),
    { ...once('first', 'hook'), isTest: false },
  ]
  expect(await count({ 'one.json': suite(results) })).toEqual({
    code: 0,
    lines: [
      '== passed only in the first run: to be mended',
      '[units on Node.js 24, seed 7] test/a.test.ts > later',
      '    only in the second run',
      '== passed only in the second run: to be mended',
      '[units on Node.js 24, seed 7] test/a.test.ts > late',
      '    only in the first run',
      '[units on Node.js 24, seed 7] test/a.test.ts > hook',
      '    only in the first run',
      '2 passed, 0 failed',
    ],
  })
})

it('shows the end of what a failed step printed, as a failure', async () => {
  const output = Array.from({ length: 40 }, (_, line) => `line ${line}\n`).join('')
  const { code, lines } = await count({ 'npm run check.failed': output, 'one.json': suite([passed()]) })
  expect(code).toBe(1)
  expect(lines[1]).toBe('[step] npm run check')
  expect(lines.slice(-2)).toEqual(['    line 39', '1 passed, 1 failed'])
})

it.each([1, 5, 49, 51, 500])('prints at most about a hundred lines for %i failures', async many => {
  const message = Array.from({ length: 30 }, (_, line) => `line ${line} ${'x'.repeat(1_000)}`).join('\n')
  const names = Array.from({ length: many }, (_, index) => `ill ${index}`)
  const results = [
    ...names.map(name => failed(name, message)),
    once('first', 'late'),
    once('second', 'later'),
  ]
  const { lines } = await count({ 'one.json': suite(results) })
  expect(lines.length).toBeLessThan(110)
  expect(lines.every(line => line.length < 300)).toBe(true)
  expect(lines.filter(line => / > ill \d+$/.test(line)).length).toBe(Math.min(many, 25))
  expect(lines.some(line => line.endsWith('> late'))).toBe(true)
  expect(lines.some(line => line.endsWith('> later'))).toBe(true)
  expect(lines.at(-1)).toBe(`2 passed, ${many} failed`)
})

it('fails when no test ran', async () => {
  expect(await count({})).toEqual({ code: 1, lines: ['0 passed, 0 failed'] })
})
