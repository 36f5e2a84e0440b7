import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { FleetMessage, FleetRequest } from './fleet-messages.js'
import type { Measured } from './measured.js'
import { cpuOf } from './processes.js'
import { ask, measurable } from './replica.js'

/** How large the playground is. */
export interface PlaygroundProcessOptions {
  readonly instances: number
  readonly membersPerInstance: number
  /** Whether control planes are stood in for, which costs a fraction of their CPU: `fleet-stand-in.ts`. */
  readonly standIn: boolean
  /** So many older instances are there whose control planes take connections and never answer; with a stand-in. */
  readonly hanging?: number
  /** Where its CPU profile is left. */
  readonly profiles?: string
}

/** The playground of a fleet bench, in its process. */
export class PlaygroundProcess {
  readonly #child: ChildProcess
  readonly #told: FleetMessage[] = []
  readonly #progress = new Set<(ready: number) => void>()

  constructor({ instances, membersPerInstance, standIn, hanging = 0, profiles }: PlaygroundProcessOptions) {
    const program = new URL(standIn ? './fleet-stand-in.js' : './fleet-host.js', import.meta.url)
    const execArgv = [...measurable(profiles && join(profiles, 'playground'))]
    this.#child = fork(program, [instances, membersPerInstance, hanging].map(String), { execArgv })
    this.#child.on('message', (message: Partial<FleetMessage>) => {
      if (message.kind === 'progress') for (const told of this.#progress) told(message.ready ?? 0)
      else if (message.kind !== undefined) this.#told.push(message as FleetMessage)
    })
  }

  send(request: FleetRequest): void {
    this.#child.send(request)
  }

  /** Memory of the process, and CPU of it and of those that it started. */
  async measure(how: 'as it is' | 'collected' = 'as it is'): Promise<Measured> {
    const measured = await ask(this.#child, { measure: how })
    return { ...measured, cpuSeconds: cpuOf(this.#child.pid ?? 0) / 1000 }
  }

  /** Calls back every few seconds while instances come up, until the returned function is called. */
  onProgress(told: (ready: number) => Promise<void>): () => void {
    let telling = false
    const once = (ready: number): void => {
      if (telling) return
      telling = true
      told(ready).then(
        () => (telling = false),
        () => undefined, // the leader ended; the caller that waits for it reports that
      )
    }
    this.#progress.add(once)
    return () => this.#progress.delete(once)
  }

  /** The next message of this kind, or one of them that came before. @throws when the process ends without it */
  async told<K extends FleetMessage['kind']>(kind: K): Promise<Extract<FleetMessage, { kind: K }>> {
    for (;;) {
      const index = this.#told.findIndex(message => message.kind === kind)
      if (index >= 0) return this.#told.splice(index, 1)[0] as Extract<FleetMessage, { kind: K }>
      if (this.#child.exitCode !== null) throw new Error(`the playground ended with ${this.#child.exitCode}`)
      const given = new AbortController()
      await Promise.race([
        once(this.#child, 'message', { signal: given.signal }),
        once(this.#child, 'exit', { signal: given.signal }),
      ])
      given.abort()
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null) return
    const over = once(this.#child, 'exit')
    this.send({ kind: 'stop' })
    await over
  }
}
