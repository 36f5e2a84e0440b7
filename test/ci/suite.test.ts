import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')

interface Judged {
  readonly file: string
  readonly name: string
  readonly isTest: boolean
  readonly state: string
  readonly message: string
  readonly failedOnce?: string
}

/** A folder with tests of its own, and what `.ci/suite.mjs` makes of them. */
class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'kairship-suite-'))

  /** @param options of vitest, as JavaScript */
  constructor(files: Readonly<Record<string, string>>, options = 'maxWorkers: 2') {
    symlinkSync(join(root, 'node_modules'), join(this.path, 'node_modules'))
    const seed = JSON.stringify(join(root, 'test/seed.ts'))
    this.write(
      'vitest.config.mjs',
      `export default { cacheDir: 'cache', test: { ${options}, setupFiles: [${seed}] } }`,
    )
    // Whether this is the first time that something is done under this name.
    const first = `import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
      appendFileSync('workers', process.env.VITEST_POOL_ID + '\\n')
      const isFirst = name => !existsSync(name) && (writeFileSync(name, ''), true)`
    for (const [name, text] of Object.entries(files))
      this.write(name, `import { beforeAll, expect, it } from 'vitest'\n${first}\n${text}`)
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.path, name), text)
  }

  /** Runs the suite, and what failed of it a second time. @returns the code and the results after both, and all they said */
  async run(): Promise<{ code: number; output: string; results: Judged[] }> {
    const once = await this.#judge('a suite', 'results.json')
    const again = await this.#judge('--again', 'results.json')
    return { ...again, output: once.output + again.output }
  }

  #judge(...args: string[]): ReturnType<Folder['run']> {
    const inherited = Object.entries(process.env).filter(([name]) => !/^(VITEST|KAIRSHIP_)/.test(name))
    return new Promise(done => {
      execFile(
        process.execPath,
        [join(root, '.ci/suite.mjs'), ...args],
        { cwd: this.path, env: Object.fromEntries(inherited) },
        (error, stdout, stderr) => {
          const { results } = JSON.parse(readFileSync(join(this.path, 'results.json'), 'utf8'))
          done({ code: Number(error?.code ?? 0), output: stdout + stderr, results })
        },
      )
    })
  }
}

const passing = `it('is well', () => expect(1).toBe(1))`

describe('of a suite of which some tests fail', () => {
  const folder = new Folder({
    'well.test.mjs': passing,
    'flaky.test.mjs': `
      it('fails the first time', () => expect(isFirst('a')).toBe(false))
      it('fails the second time', () => expect(isFirst('b')).toBe(true))
      it('always fails', () => expect('one').toBe('two'))
      it.skip('is skipped', () => undefined)`,
    'hook.test.mjs': `
      beforeAll(() => { if (isFirst('c')) throw new Error('not yet up') })
      it('needs the hook', () => expect(1).toBe(1))`,
    'unloadable.test.mjs': `throw new Error('cannot be loaded')`,
    'unowned.test.mjs': `
      it('leaves a promise behind', async () => {
        Promise.reject(new Error('nobody caught this'))
        await new Promise(resolve => setImmediate(resolve))
      })`,
    'property.test.mjs': `
      import fc from 'fast-check'
      const drawn = fc.sample(fc.integer(), 1)[0]
      it('draws ' + drawn, () => expect(isFirst('d')).toBe(false))`,
  })
  let ran: Awaited<ReturnType<Folder['run']>>
  const result = (file: string, name: string) => {
    const [found, ...others] = ran.results.filter(one => one.file === `${file}.test.mjs` && one.name === name)
    expect(others).toEqual([])
    return found
  }

  beforeAll(async () => {
    ran = await folder.run()
  })
  afterAll(() => rmSync(folder.path, { recursive: true }))

  it('a test that passes the second time has passed, with the message of its failure', () => {
    expect(result('flaky', 'fails the first time')).toMatchObject({ state: 'passed', failedOnce: 'first' })
    expect(result('flaky', 'fails the first time')?.message).toContain('expected true to be false')
  })

  it('a test that fails only in the second run has passed, and is reported', () =>
    expect(result('flaky', 'fails the second time')).toMatchObject({ state: 'passed', failedOnce: 'second' }))

  it('a test that fails twice has failed', () => {
    expect(result('flaky', 'always fails')).toMatchObject({ state: 'failed', isTest: true })
    expect(result('flaky', 'always fails')).not.toHaveProperty('failedOnce')
    expect(ran.code).toBe(1)
  })

  it('the message names the difference and the line', () => {
    const { message } = result('flaky', 'always fails')!
    expect(message).toContain("expected 'one' to be 'two'")
    expect(message).toMatch(/at .*flaky\.test\.mjs:\d+:\d+/)
    expect(message).not.toContain('\u001B')
  })

  it('a skipped test stays skipped', () =>
    expect(result('flaky', 'is skipped')).toMatchObject({ state: 'skipped' }))

  it('files without a failure run once', () => {
    expect(result('well', 'is well')).toMatchObject({ state: 'passed' })
    expect(ran.output.match(/well\.test\.mjs/g)).toHaveLength(1)
  })

  it('a hook that fails once is reported, and its tests count as in the second run', () => {
    expect(result('hook', '(outside of its tests)')).toMatchObject({ state: 'passed', failedOnce: 'first' })
    expect(result('hook', '(outside of its tests)')?.message).toContain('not yet up')
    expect(result('hook', 'needs the hook')).toMatchObject({ state: 'passed' })
  })

  it('a file that cannot be loaded has failed, with the reason', () => {
    expect(result('unloadable', '(outside of its tests)')).toMatchObject({ state: 'failed' })
    expect(result('unloadable', '(outside of its tests)')?.message).toContain('cannot be loaded')
  })

  it('an error outside of any test fails its file', () => {
    expect(result('unowned', 'leaves a promise behind')).toMatchObject({ state: 'passed' })
    expect(result('unowned', '(outside of its tests)')).toMatchObject({ state: 'failed' })
    expect(result('unowned', '(outside of its tests)')?.message).toContain('nobody caught this')
  })

  it('properties draw the same values in both runs', () => {
    const drawn = ran.results.filter(({ file }) => file === 'property.test.mjs')
    expect(drawn).toHaveLength(1)
    expect(drawn[0]).toMatchObject({ state: 'passed', failedOnce: 'first' })
  })

  it('the second run executes one file at a time', () => {
    const workers = readFileSync(join(folder.path, 'workers'), 'utf8').trimEnd().split('\n')
    expect(workers).toHaveLength(6 + 5)
    expect(workers.slice(6)).toEqual(['1', '1', '1', '1', '1'])
  })
})

it('more than ten files with a failure are not run again', async () => {
  const failing = `it('fails once', () => expect(isFirst(import.meta.url.replace(/.*\\//, '') + '.ran')).toBe(false))`
  const files = Array.from({ length: 11 }, (_, index) => [`failing-${index}.test.mjs`, failing])
  // In one process: eleven would take most of the time of this file.
  const folder = new Folder(Object.fromEntries(files), 'maxWorkers: 1, isolate: false')
  const { code, output, results } = await folder.run()
  expect(code).toBe(1)
  expect(output).toContain('no second run')
  expect(results.map(({ state }) => state)).toEqual(Array.from({ length: 11 }, () => 'failed'))
  rmSync(folder.path, { recursive: true })
})

it('a run that ends without results has failed', async () => {
  const folder = new Folder({ 'well.test.mjs': passing })
  folder.write('vitest.config.mjs', `throw new Error('no configuration')`)
  const { code, results } = await folder.run()
  expect(code).toBe(1)
  expect(results).toMatchObject([{ file: '', name: '(the run)', state: 'failed' }])
  rmSync(folder.path, { recursive: true })
})
