import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Measured, MeasuredRequest } from './measured.js'

/** Counters of one process by their labels' values: `host PATCH` for requests. */
export type Counts = Readonly<Record<string, number>>

/** What one process did since its start, as it says itself over /metrics. */
export interface Deeds {
  /** Requests to Kubernetes APIs by target and verb. */
  readonly requests: Counts
  /** Requests to Kubernetes APIs that were not answered with success, by target, verb and HTTP status (0: none). */
  readonly refused: Counts
  /** Effects that failed, by effect and reason. */
  readonly failures: Counts
  /** Watches that broke, by resource and reason. */
  readonly interruptions: Counts
}

/** Arguments to node that let a process be measured by `ask`; with a folder, its CPU profile is left there. */
export const measurable = (profiles: string | undefined): readonly string[] => [
  '--expose-gc',
  '--import',
  new URL('./measured.js', import.meta.url).href,
  ...(profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]),
]

/** Asks a measurable process what it costs. @throws Error when it ends before it has answered */
export async function ask(child: ChildProcess, request: MeasuredRequest): Promise<Measured> {
  const given = new AbortController()
  const { signal } = given
  const answered = async (): Promise<Measured> => {
    for (;;) {
      const [message] = (await once(child, 'message', { signal })) as [unknown]
      if (typeof message === 'object' && message !== null && 'measured' in message)
        return message.measured as Measured
    }
  }
  try {
    const answer = answered()
    child.send(request)
    return await Promise.race([
      answer,
      once(child, 'exit', { signal }).then(() =>
        Promise.reject(new Error('it ended before it was measured')),
      ),
    ])
  } finally {
    given.abort()
  }
}

/** A real `kairship controller-manager` process. */
export class Replica {
  readonly #child: ChildProcess
  readonly #folder = mkdtempSync(join(tmpdir(), 'kairship-bench-'))
  #said = ''
  readonly ended: Promise<void>

  constructor(
    readonly identity: string,
    kubeconfig: string,
    profiles?: string,
  ) {
    const file = join(this.#folder, 'kubeconfig')
    writeFileSync(file, kubeconfig, { mode: 0o600 })
    const program = fileURLToPath(new URL('../kairship.js', import.meta.url))
    const command = ['controller-manager', '--kubeconfig', file, '--identity', identity]
    const args = [...command, '--health-listen', '127.0.0.1:0', '--log-format', 'json']
    this.#child = spawn(process.execPath, [...measurable(profiles), program, ...args], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-1_000_000)
    })
    this.ended = new Promise(resolve => {
      this.#child.once('close', () => {
        rmSync(this.#folder, { recursive: true, force: true })
        resolve()
      })
    })
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Resolves with the URL of health and metrics once they are served. */
  async listening(): Promise<string> {
    for (;;) {
      const found = this.#said.match(/"url":"(http:[^"]+)","msg":"health and metrics are listening"/)
      if (found?.[1]) {
        this.#url = found[1]
        return this.#url
      }
      if (this.#url !== undefined) return this.#url
      if (this.#child.exitCode !== null) throw new Error(`replica ${this.identity} ended: ${this.#said}`)
      await pause(50)
    }
  }
  #url: string | undefined

  /** What the process costs now, or after everything that can be collected was. */
  measure(how: 'as it is' | 'collected' = 'as it is'): Promise<Measured> {
    return ask(this.#child, { measure: how })
  }

  snapshot(file: string): Promise<Measured> {
    return ask(this.#child, { snapshot: file })
  }

  /** Open sockets, and metric series. */
  async exposed(): Promise<{ readonly sockets: number; readonly series: number }> {
    const lines = (await this.#metrics()).split('\n').filter(line => line !== '' && !line.startsWith('#'))
    const sockets = lines.find(line => line.startsWith('nodejs_active_resources{type="TCPSocketWrap"'))
    return { sockets: Number(sockets?.split(' ').at(-1) ?? 0), series: lines.length }
  }

  async #metrics(): Promise<string> {
    return (await fetch(`${await this.listening()}/metrics`)).text()
  }

  /** What the process has done so far. */
  async deeds(): Promise<Deeds> {
    const text = await this.#metrics()
    const counts = (metric: string, ...names: readonly string[]): Counts => {
      const counted: Record<string, number> = {}
      for (const [, labels = '', count] of text.matchAll(
        new RegExp(`^${metric}\\{([^}]*)\\} (\\S+)$`, 'gm'),
      )) {
        const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? ''
        const key = names.map(label).join(' ')
        counted[key] = (counted[key] ?? 0) + Number(count)
      }
      return counted
    }
    const answers = counts('kairship_kube_requests_total', 'target', 'verb', 'code')
    // Canaries go on beating at rest; they are told apart from the work.
    const asked = counts('kairship_kube_requests_total', 'purpose', 'target', 'verb')
    return {
      requests: Object.fromEntries(
        Object.entries(asked).map(([key, count]) => [key.replace(/^work /, ''), count]),
      ),
      refused: Object.fromEntries(Object.entries(answers).filter(([key]) => !/ 2\d\d$/.test(key))),
      failures: counts('kairship_effect_failures_total', 'effect', 'failure'),
      interruptions: counts('kairship_watch_restarts_total', 'resource', 'reason'),
    }
  }

  /**
   * Waits until the process has reached every instance, and asks and writes no more than a settled fleet of this size needs:
   * the lease, probes, canaries. A follower is warm then.
   */
  async settled(instances: number): Promise<void> {
    const asked = async () => {
      const requests = Object.entries((await this.deeds()).requests).filter(
        ([key]) => !key.startsWith('canary '),
      )
      const sum = (own: (key: string) => boolean): number =>
        requests.filter(([key]) => own(key)).reduce((sum, [, count]) => sum + count, 0)
      const isRead = (key: string): boolean => / (GET|WATCH)$/.test(key)
      return { reads: sum(isRead), writes: sum(key => !isRead(key) && key !== 'host PUT') }
    }
    for (let last = await asked(); ; ) {
      await pause(5_000)
      const next = await asked()
      // A first probe is five requests, each later one two, every five to ten seconds.
      const quiet = next.writes === last.writes && next.reads - last.reads <= 2 * instances + 20
      if (quiet && next.reads >= 5 * instances) return
      last = next
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
