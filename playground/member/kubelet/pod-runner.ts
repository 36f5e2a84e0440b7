import type { Pod } from '../../objects/core.js'
import { isEndless } from './container-process.js'
import { isPullable } from './images.js'
import type { ContainerState, Placement } from './pod-status.js'

/** Between two runs of a container that ends, milliseconds: a kubelet's, doubling from the first to the last. */
const BACKOFF = { first: 10_000, last: 300_000 } as const
/** A container that ran for this long starts its pauses anew. */
const FORGIVEN_AFTER = 600_000

/** How long things take, milliseconds. */
export interface Pace {
  /** From a pod's binding until its containers run. */
  readonly start: number
  /** How long a program unknown to the playground runs, in a pod that is meant to end. */
  readonly run: number
  /** From a pod's deletion until it is gone, within its grace period. */
  readonly stop: number
}

/**
 * Begins a run of a container. @param signal aborted when the run is over
 * @returns the exit code of its main process when it ends, or undefined for a program that is not known
 */
export type StartProcess = (pod: Pod, container: string, signal: AbortSignal) => Promise<number> | undefined

/** What a runner does with its processes. */
export interface RunnerOptions {
  readonly pace: Pace
  readonly now: () => number
  readonly startProcess: StartProcess
  /** Called when a process has ended by itself. */
  readonly onEnd: () => void
}

interface Run {
  readonly state: ContainerState
  /** Aborted when the run is over, which ends its process if that is a known one. */
  readonly process?: AbortController
  /** What to do next by itself, and when. */
  readonly next?: { readonly act: 'start' | 'finish'; readonly at: number }
}

/** The containers of one pod and their processes. Owns the processes; `stop` ends them. */
export class PodRunner {
  readonly placement: Placement
  readonly #options: RunnerOptions
  readonly #runs = new Map<string, Run>()

  constructor(placement: Placement, options: RunnerOptions) {
    this.placement = placement
    this.#options = options
  }

  get states(): ReadonlyMap<string, ContainerState> {
    return new Map([...this.#runs].map(([name, { state }]) => [name, state]))
  }

  /** Does what is due. @returns milliseconds until something is due again; undefined when nothing will be by itself */
  advance(pod: Pod): number | undefined {
    const now = this.#options.now()
    for (const { name, image = '' } of pod.spec?.containers ?? []) {
      if (!this.#runs.has(name)) {
        const at = this.placement.since + this.#options.pace.start
        this.#runs.set(name, { state: { is: 'creating' }, next: { act: 'start', at } })
      }
      const run = this.#runs.get(name) as Run
      if (!run.next || run.next.at > now) continue
      if (run.next.act === 'finish') this.#end(pod, name, 0)
      // The image of a pod may change: it is tried again.
      else if (!isPullable(image)) this.#runs.set(name, unpulled(now + BACKOFF.first))
      else this.#start(pod, name, started(run.state, now))
    }
    const waits = [...this.#runs.values()].flatMap(({ next }) => (next ? [next.at - now] : []))
    return waits.length === 0 ? undefined : Math.max(1, Math.min(...waits))
  }

  /** Takes up what its status says, as a kubelet does that was started anew. */
  adopt(pod: Pod): void {
    for (const { name, restartCount: restarts, state } of pod.status?.containerStatuses ?? []) {
      const { running, terminated } = state as Readonly<Record<string, Readonly<Record<string, string>>>>
      if (terminated) {
        const last = {
          code: Number(terminated.exitCode),
          from: Date.parse(terminated.startedAt ?? ''),
          until: Date.parse(terminated.finishedAt ?? ''),
        }
        this.#runs.set(name, { state: { is: 'ended', restarts, last, isWaiting: false } })
      } else if (running) {
        const since = Date.parse(running.startedAt ?? '')
        this.#start(pod, name, { is: 'running', since, restarts })
      }
    }
  }

  stop(): void {
    for (const { process } of this.#runs.values()) process?.abort()
  }

  #start(pod: Pod, name: string, state: ContainerState): void {
    const { startProcess, onEnd, pace, now } = this.#options
    const process = new AbortController()
    const ending = startProcess(pod, name, process.signal)
    if (!ending) {
      const container = pod.spec?.containers?.find(one => one.name === name)
      const ends = policyOf(pod) !== 'Always' && !(container && isEndless(container))
      const next = { act: 'finish', at: now() + pace.run } as const
      this.#runs.set(name, { state, process, ...(ends && { next }) })
      return
    }
    this.#runs.set(name, { state, process })
    void ending
      .catch(() => UNKNOWN_ERROR)
      .then(code => {
        if (process.signal.aborted) return
        this.#end(pod, name, code)
        onEnd()
      })
  }

  #end(pod: Pod, name: string, code: number): void {
    const run = this.#runs.get(name)
    if (run?.state.is !== 'running') return
    run.process?.abort()
    const { state } = run
    const until = this.#options.now()
    const { restarts, since: from } = state
    const isAgain = policyOf(pod) === 'Always' || (policyOf(pod) === 'OnFailure' && code !== 0)
    const paused = until - from > FORGIVEN_AFTER ? 0 : restarts
    const at = until + Math.min(BACKOFF.first * 2 ** paused, BACKOFF.last)
    this.#runs.set(name, {
      state: { is: 'ended', restarts, last: { code, from, until }, isWaiting: isAgain },
      ...(isAgain && { next: { act: 'start', at } }),
    })
  }
}

/** What a shell says of a program that broke for a reason of its own. */
const UNKNOWN_ERROR = 1

const unpulled = (at: number): Run => ({ state: { is: 'unpulled' }, next: { act: 'start', at } })

const policyOf = ({ spec }: Pod): string => spec?.restartPolicy ?? 'Always'

const started = (before: ContainerState, since: number): ContainerState =>
  before.is === 'ended'
    ? { is: 'running', since, restarts: before.restarts + 1, last: before.last }
    : { is: 'running', since, restarts: 0 }
