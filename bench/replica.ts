import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What one process costs, as it says itself over /metrics. */
export interface Cost {
  readonly rssBytes: number
  readonly heapBytes: number
  readonly cpuSeconds: number
  /** Requests to Kubernetes APIs since its start, by target and verb: `host PATCH`. */
  readonly requests: Readonly<Record<string, number>>
}

/** A real `kairship controller-manager` process. */
export class Replica {
  readonly #child: ChildProcess
  readonly #folder = mkdtempSync(join(tmpdir(), 'kairship-bench-'))
  readonly #log = join(this.#folder, 'log')
  readonly ended: Promise<void>

  constructor(
    readonly identity: string,
    kubeconfig: string,
  ) {
    const file = join(this.#folder, 'kubeconfig')
    writeFileSync(file, kubeconfig, { mode: 0o600 })
    const program = fileURLToPath(new URL('../kairship.js', import.meta.url))
    const command = ['controller-manager', '--kubeconfig', file, '--identity', identity]
    const args = [...command, '--health-listen', '127.0.0.1:0', '--log-format', 'json']
    // --expose-gc would change what is measured; heap figures are those between collections, RSS what the system sees.
    this.#child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    let log = ''
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-1_000_000)
      writeFileSync(this.#log, log)
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
      const found = this.#said().match(/"url":"(http:[^"]+)","msg":"health and metrics are listening"/)
      if (found?.[1]) return found[1]
      if (this.#child.exitCode !== null) throw new Error(`replica ${this.identity} ended: ${this.#said()}`)
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  async measure(): Promise<Cost> {
    const response = await fetch(`${await this.listening()}/metrics`)
    const text = await response.text()
    const value = (name: string): number =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN)
    const requests: Record<string, number> = {}
    for (const [, labels = '', count] of text.matchAll(/^kairship_kube_requests_total\{([^}]*)\} (\d+)$/gm)) {
      const label = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(labels)?.[1] ?? ''
      const key = `${label('target')} ${label('verb')}`
      requests[key] = (requests[key] ?? 0) + Number(count)
    }
    return {
      rssBytes: value('process_resident_memory_bytes'),
      heapBytes: value('nodejs_heap_size_used_bytes'),
      cpuSeconds: value('process_cpu_seconds_total'),
      requests,
    }
  }

  /** Waits until nothing is written for three seconds, and measures. */
  async settled(): Promise<Cost> {
    let last = await this.measure()
    for (;;) {
      await new Promise(resolve => setTimeout(resolve, 3_000))
      const next = await this.measure()
      const writes = ({ requests }: Cost): number =>
        (requests['host PATCH'] ?? 0) + (requests['host POST'] ?? 0) + (requests['host DELETE'] ?? 0)
      if (writes(next) === writes(last)) return next
      last = next
    }
  }

  /** Waits until the process has followed everything there is and uses little CPU: a follower is warm then. */
  async calm(): Promise<void> {
    let last = await this.measure()
    for (;;) {
      await new Promise(resolve => setTimeout(resolve, 3_000))
      const next = await this.measure()
      if (next.cpuSeconds - last.cpuSeconds < 0.6) return
      last = next
    }
  }

  #said(): string {
    try {
      return readFileSync(this.#log, 'utf8')
    } catch {
      // Nothing said yet.
      return ''
    }
  }
}
