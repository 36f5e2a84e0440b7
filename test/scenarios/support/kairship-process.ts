import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryFolder } from '../../real/repository.js'

const program = join(repositoryFolder, 'dist/kairship.js')

/** One line of a process's log. */
export interface LogLine {
  readonly level: string
  readonly time: string
  readonly msg: string
  readonly [field: string]: unknown
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** A real `kairship` process: its own memory, sockets and signals. */
export class KairshipProcess {
  readonly #child: ChildProcess
  readonly #waiting = new Set<() => void>()
  readonly log: LogLine[] = []
  stdout = ''
  /** What it wrote to stderr that is not JSON. */
  stderr = ''
  readonly ended: Promise<Ending>
  ending: Ending | undefined

  private constructor(args: readonly string[], env: Readonly<Record<string, string>>, cwd?: string) {
    if (!existsSync(program)) throw new Error('scenarios run the built program: npm run build')
    this.#child = spawn(process.execPath, [program, ...args], {
      env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd !== undefined && { cwd }),
    })
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text
      this.#changed()
    })
    let rest = ''
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#note(line)
      this.#changed()
    })
    this.ended = new Promise(resolveEnd => {
      this.#child.once('close', (code, signal) => {
        this.ending = { code, signal }
        this.#changed()
        resolveEnd(this.ending)
      })
    })
  }

  static start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    cwd?: string,
  ): KairshipProcess {
    return new KairshipProcess(args, env, cwd)
  }

  get pid(): number {
    return this.#child.pid ?? -1
  }

  /** Sends a signal; with SIGKILL nothing of the process runs any more. */
  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves with the first log line with this message, also one from before. Fails when the process ends without it. */
  async said(message: string): Promise<LogLine> {
    for (;;) {
      const line = this.log.find(({ msg }) => msg === message)
      if (line) return line
      if (this.ending) throw new Error(`it ended without saying "${message}":\n${this.story()}`)
      await new Promise<void>(wake => this.#waiting.add(wake))
    }
  }

  /** All it said, for a failing test. */
  story(): string {
    const lines = this.log.map(
      ({ time, level, msg, ...fields }) => `${time} ${level} ${msg} ${JSON.stringify(fields)}`,
    )
    return [this.stderr, ...lines.slice(-150), JSON.stringify(this.ending)].join('\n')
  }

  #note(line: string): void {
    try {
      this.log.push(JSON.parse(line) as LogLine)
    } catch {
      // Not a log line: progress for people, or Node's own words before it dies.
      this.stderr += `${line}\n`
    }
  }

  #changed(): void {
    for (const wake of this.#waiting) wake()
    this.#waiting.clear()
  }
}
