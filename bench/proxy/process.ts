import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** How long a process may take to end: one that was profiled writes its profile first. */
const STOP_MS = 30_000

/** A process that is measured from outside, as the system sees it. */
export class Measured {
  readonly #child: ChildProcess
  #said = ''
  readonly #ended: Promise<void>

  constructor(
    readonly name: string,
    command: string,
    args: readonly string[],
    options: { readonly core?: number; readonly env?: Readonly<Record<string, string>> } = {},
  ) {
    const { core, env } = options
    const [program, ...rest] = core === undefined ? [command, ...args] : pinned(core, [command, ...args])
    this.#child = spawn(program ?? command, rest, {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    })
    const hear = (text: string) => {
      this.#said = (this.#said + text).slice(-100_000)
    }
    this.#child.stdout?.setEncoding('utf8').on('data', hear)
    this.#child.stderr?.setEncoding('utf8').on('data', hear)
    this.#ended = new Promise(resolve => {
      this.#child.once('close', () => resolve())
      this.#child.once('error', error => {
        hear(error.message)
        resolve()
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** Waits until it has written this. @throws Error with what it wrote instead, when it ends first */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#said)
      if (found) return found
      if (this.#child.exitCode !== null) throw new Error(`${this.name} ended: ${this.#said}`)
      await new Promise(resolve => setTimeout(resolve, 20))
    }
  }

  /** User and system time since its start, of all threads, and of the processes that it has started and that run. */
  cpuSeconds(): number {
    this.#mustRun()
    return [this.pid, ...this.children()].reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
  }

  /** The processes that it has started. */
  children(): readonly number[] {
    const text = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'latin1').trim()
    return text === '' ? [] : text.split(' ').map(Number)
  }

  rssBytes(): number {
    return this.#statusBytes('VmRSS')
  }

  /** The most since `forgetPeakRss`, as the kernel keeps it: no peak between two looks is missed. */
  peakRssBytes(): number {
    return this.#statusBytes('VmHWM')
  }

  forgetPeakRss(): void {
    this.#mustRun()
    writeFileSync(`/proc/${this.pid}/clear_refs`, '5')
  }

  #statusBytes(field: string): number {
    this.#mustRun()
    const status = readFileSync(`/proc/${this.pid}/status`, 'latin1')
    const [, kib] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? []
    return Number(kib) * 1024
  }

  #mustRun(): void {
    if (this.#child.exitCode !== null) throw new Error(`${this.name} ended: ${this.#said}`)
  }

  async stop(): Promise<void> {
    this.#child.kill('SIGTERM')
    const cut = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS)
    await this.#ended
    clearTimeout(cut)
  }
}

/** User and system time of one process, of all its threads. */
export function cpuSecondsOf(pid: number): number {
  // Fields 14 and 15, counted from behind the command's name, which may hold anything.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** USER_HZ: what /proc counts in on every Linux. */
const TICKS_PER_SECOND = 100

/** What is measured gets a core of its own, and everything else shares the other, so that ratios mean something. */
export const CORES =
  availableParallelism() > 1 && hasTaskset()
    ? { proxy: 1, others: 0 }
    : { proxy: undefined, others: undefined }

/** The command, bound to a core where that is possible. */
export const pinned = (core: number | undefined, command: readonly string[]): readonly string[] =>
  core === undefined ? command : ['taskset', '-c', String(core), ...command]

/** Binds this process, and all that it starts, to a core where that is possible. */
export function pinThisProcess(core: number | undefined): void {
  if (core !== undefined)
    execFileSync('taskset', ['-apc', String(core), String(process.pid)], { stdio: 'ignore' })
}

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['-c', '0', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    // Not there, or not allowed: everything shares all cores then, and the result says so.
    return false
  }
}
