import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/** How one engine is run. */
export interface EngineOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** File that gets stdout and stderr, kept over restarts. */
  readonly log: string
  readonly env?: Readonly<Record<string, string>>
  /** Another user and group to run as; needs root. */
  readonly runAs?: { readonly uid: number; readonly gid: number }
  /** Resolves true once the engine serves; asked every 100 ms, also after a restart. */
  readonly isReady: () => Promise<boolean>
  /** The signal for an orderly end; SIGTERM unless the engine wants another. */
  readonly stopSignal?: NodeJS.Signals
  /**
   * Start it again when it ends by itself, as a Deployment or systemd would, also while it starts: kube-apiserver ends itself where a busy
   * machine keeps it from etcd for ten seconds. Told on stderr, with its last log lines.
   */
  readonly revive?: boolean
}

/** How a process ended. */
export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Milliseconds an engine gets to become ready. Generous: the machine may be busy compiling. */
const readyTimeout = 240_000
/** Milliseconds between an orderly stop signal and SIGKILL. */
const stopTimeout = 60_000
/** How often an engine that ends while it starts is tried. */
const mostStarts = 3

/**
 * One engine as a child process of its own process group, so that a Ctrl-C in the terminal reaches only us and the stack
 * is taken down in order. It can be killed and started again with the same arguments.
 */
export class EngineProcess {
  private child: ChildProcess | undefined
  /** How it ended last. */
  private ended = ''
  /** From being ready until it is ended on purpose. */
  private isMeantToRun = false
  /** From `start` until it serves or is ended on purpose. */
  private isMeantToStart = false

  constructor(readonly options: EngineOptions) {}

  get name(): string {
    return this.options.name
  }

  /** The process id while it runs. */
  get pid(): number | undefined {
    return this.child?.pid
  }

  /**
   * Starts the process and waits until it serves.
   * @throws Error when it exits, as often as it is tried, or does not become ready in time; the message ends with its last log lines
   */
  async start(): Promise<void> {
    if (this.child !== undefined) throw new Error(`${this.name} runs already`)
    this.isMeantToStart = true
    for (let starts = 1; !(await this.serves()); starts++) {
      if (!this.options.revive || !this.isMeantToStart || starts === mostStarts)
        throw this.failure(this.ended)
      console.error(`${this.failure(this.ended).message}\n${this.name} is started again`)
    }
    this.isMeantToStart = false
    this.isMeantToRun = true
  }

  /** Starts the process. @returns whether it came to serve; else it has ended */
  private async serves(): Promise<boolean> {
    const { log, env, runAs } = this.options
    const [command, ...args] = endingWithParent([this.options.command, ...this.options.args])
    appendFileSync(log, `\n--- ${command} ${args.join(' ')}\n`)
    const output = openSync(log, 'a')
    const child = spawn(command, args, {
      detached: true,
      env: { ...process.env, ...env },
      stdio: ['ignore', output, output],
      ...runAs,
    })
    closeSync(output)
    this.child = child
    let hasEnded = false
    const end = (how: string): void => {
      hasEnded = true
      this.ended = how
      if (this.child === child) this.child = undefined
    }
    child.once('error', problem => end(problem.message))
    child.once('exit', (code, signal) => {
      end(`it ended with ${signal ?? `code ${code}`}`)
      if (this.isMeantToRun && this.options.revive) this.revive(this.ended)
    })
    const deadline = Date.now() + readyTimeout
    while (!(await this.options.isReady())) {
      if (hasEnded) return false
      if (Date.now() > deadline) throw this.failure(`it was not ready after ${readyTimeout / 1000} s`)
      await delay(100)
    }
    return true
  }

  /** One that ends each time before it serves stays down: whoever needs it says so. */
  private revive(ended: string): void {
    this.isMeantToRun = false
    console.error(`${this.failure(ended).message}\n${this.name} is started again`)
    this.start().catch((problem: Error) => console.error(problem.message))
  }

  /**
   * Ends the process in order, or with SIGKILL where it does not end. Nothing happens when it does not run.
   * @returns how it ended; undefined where it did not run
   */
  async stop(): Promise<Ending | undefined> {
    this.isMeantToRun = false
    this.isMeantToStart = false
    const child = this.child
    if (child === undefined) return undefined
    const exited = once(child, 'exit') as Promise<[Ending['code'], Ending['signal']]>
    child.kill(this.options.stopSignal ?? 'SIGTERM')
    // A stopped (SIGSTOP) process would never see the signal above.
    child.kill('SIGCONT')
    const patience = setTimeout(() => child.kill('SIGKILL'), stopTimeout)
    const [code, signal] = await exited
    clearTimeout(patience)
    return { code, signal }
  }

  /** Kills the process the hard way, as a crash would. */
  async crash(): Promise<void> {
    this.isMeantToRun = false
    this.isMeantToStart = false
    const child = this.child
    if (child === undefined) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  /** Freezes (SIGSTOP) or thaws (SIGCONT) the process. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child?.kill(signal)
  }

  private failure(why: string): Error {
    const tail = readFileSync(this.options.log, 'utf8').trimEnd().split('\n').slice(-15).join('\n')
    return new Error(`${this.name} does not run: ${why}. Its log ${this.options.log} ends:\n${tail}`)
  }
}

/** Has the kernel end a program when we are gone without having ended it, where there is a tool for it (Linux). */
function endingWithParent(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  const setpriv = '/usr/bin/setpriv'
  return existsSync(setpriv) ? [setpriv, '--pdeathsig', 'KILL', '--', ...command] : command
}
