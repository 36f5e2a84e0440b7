import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENCE_MS, waitFor } from '../patience.js'
import { KairshipProcess } from './support/kairship-process.js'
import { kubectls } from './support/kubectl.js'

/** Something to type, and what it prints in the end; without one, it only has to succeed. */
interface Step {
  readonly command: string
  readonly output?: string
}

/** The steps of the page: each `sh` block, with the `text` block behind it. */
function stepsOf(page: string): readonly Step[] {
  const steps: Step[] = []
  for (const [, kind, text = ''] of page.matchAll(/```(sh|text)\n([\s\S]*?)\n```/g)) {
    if (kind === 'sh') steps.push({ command: text })
    else steps.push({ command: steps.pop()?.command ?? '', output: text })
  }
  return steps
}

/** `…` stands for anything within a line, and any blanks are one. */
const patternOf = (output: string): RegExp => {
  const lines = output.split('\n').map(line =>
    line
      .split('…')
      .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/\s+/g, '\\s+'))
      .join('[^\\n]*'),
  )
  // Blanks around an ellipsis may be part of what it stands for.
  return new RegExp(
    `^${lines.join('\\s*\\n').replaceAll('\\s+[^\\n]*', '[^\\n]*').replaceAll('[^\\n]*\\s+', '[^\\n]*')}\\s*$`,
  )
}

/** What holds for the commands that follow: variables and functions. */
const isSetup = ({ command }: Step): boolean => /^(export \w+=|\w+\(\)|\w+=\$\(sed)/m.test(command)

/** Pages whose commands are run, and what the playground's folder holds afterwards. */
const PAGES = [
  { page: 'README.md', least: { steps: 5, outputs: 2 }, left: [] },
  { page: 'docs/tour.md', least: { steps: 20, outputs: 15 }, left: ['tour.kubeconfig'] },
]
const [kubectl] = kubectls()

describe.skipIf(kubectl === undefined).each(PAGES)('$page', ({ page, least, left }) => {
  const steps = stepsOf(readFileSync(page, 'utf8'))
  let folder: string
  let playground: KairshipProcess
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'kairship-tour-'))
    mkdirSync(join(folder, 'bin'))
    symlinkSync(resolve(kubectl ?? ''), join(folder, 'bin', 'kubectl'))
    for (const name of ['dist', 'docs']) symlinkSync(resolve(name), join(folder, name))
    // What `npm start` runs, once it has built.
    playground = KairshipProcess.start(['playground'], {}, folder)
    await waitFor(() => {
      if (playground.ending) throw new Error(playground.story())
      expect(playground.stdout).toContain('Try next:')
    })
  })
  afterAll(async () => {
    playground.kill('SIGTERM')
    await playground.ended
    // It takes away what it wrote; what the page made there stays.
    const kept = existsSync(join(folder, '.kairship')) ? readdirSync(join(folder, '.kairship')) : []
    expect(kept).toEqual(left)
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (script: string): Promise<{ code: number; text: string }> =>
    new Promise(done => {
      const env = { HOME: folder, PATH: `${join(folder, 'bin')}:${process.env.PATH}` }
      const options = { cwd: folder, env, timeout: PATIENCE_MS }
      execFile('bash', ['-c', script], options, (error, stdout, stderr) =>
        done({ code: error ? Number(error.code ?? 1) : 0, text: stdout + stderr }),
      )
    })

  it('has commands, and what some of them print', () => {
    expect(steps.length).toBeGreaterThan(least.steps)
    expect(steps.filter(({ output }) => output !== undefined).length).toBeGreaterThanOrEqual(least.outputs)
  })

  it('runs word for word as on the page', async () => {
    let setup = ''
    for (const step of steps) {
      const { command, output } = step
      const { code, text } = await run(`${setup}\n${command}`)
      expect(code === 0 ? 0 : text, command).toBe(0)
      if (isSetup(step)) setup += `${command.replace(/^node .*$/m, '')}\n`
      if (output === undefined || patternOf(output).test(text)) continue
      await waitFor(async () => expect((await run(`${setup}\n${command}`)).text).toMatch(patternOf(output)))
    }
  })
})
