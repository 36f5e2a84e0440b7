import { INSTANCES, type Instance } from '../manifests/instance.js'
import { INSTANCE_REGISTRATIONS, type InstanceRegistration } from '../manifests/instance-registration.js'
import { resourcePath } from '../manifests/kube.js'
import { LEASES, type Lease, leaseHolder } from '../manifests/lease.js'
import type { KubeApi } from '../ports/kube-api.js'
import { type FleetRequest, tell } from './fleet-messages.js'

/** What a bench's requests are carried out on. */
export interface FleetUnderBench {
  /** The host cluster as its administrator. */
  readonly host: KubeApi
  /** The Instances to be created, in this order. */
  readonly items: readonly Instance[]
  /** So many of them never become ready. */
  readonly hanging?: number
  close(): Promise<void>
}

/** How often the bench is told how far things are, milliseconds. */
const PROGRESS_MS = 5_000

/** Carries out what the bench asks of this process until it says stop. An error ends the process. */
export function obey(fleet: FleetUnderBench): void {
  const running = new RunningFleet(fleet)
  process.on('message', message => {
    running.answer(message as FleetRequest).catch((error: unknown) => {
      if (running.stopped) return
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
      process.exit(1)
    })
  })
}

const path = resourcePath(INSTANCES)

class RunningFleet {
  readonly #stopping = new AbortController()

  constructor(private readonly fleet: FleetUnderBench) {}

  get stopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async answer(request: FleetRequest): Promise<void> {
    if (request.kind === 'register') return this.#register()
    if (request.kind === 'resize') return this.#resize(request.to)
    if (request.kind === 'report the next leader') return this.#reportNextLeader(request.not)
    if (request.kind === 'flap') return this.#flap(request.times)
    if (request.kind !== 'stop') return // for `measured.ts`
    this.#stopping.abort()
    await this.fleet.close()
    process.disconnect()
  }

  async #register(): Promise<void> {
    const { host, items, hanging = 0 } = this.fleet
    const began = performance.now()
    let firstMs: number | undefined
    const ready = new Set<string>()
    const telling = setInterval(() => tell({ kind: 'progress', ready: ready.size }), PROGRESS_MS)
    const watching = (async () => {
      // A watch ends after some minutes, and the next one begins with all that is there.
      while (!this.stopped)
        for await (const { type, object } of host.watch({ path, signal: this.#stopping.signal })) {
          if (type !== 'ADDED' && type !== 'MODIFIED') continue
          const { metadata, status } = object as Instance
          if (status?.phase === 'Ready') ready.add(metadata.name)
          if (ready.size > 0) firstMs ??= performance.now() - began
          if (ready.size === items.length - hanging) return
        }
    })()
    for (const body of items) await host.request({ method: 'POST', path, body })
    await watching
    clearInterval(telling)
    tell({ kind: 'ready', firstMs: firstMs ?? 0, lastMs: performance.now() - began })
  }

  async #resize(to: number): Promise<void> {
    const { host, items } = this.fleet
    const began = performance.now()
    const list = () =>
      host.request<{ items: Instance[]; metadata: { resourceVersion: string } }>({ method: 'GET', path })
    const before = new Set((await list()).items.map(({ metadata }) => metadata.name))
    for (const [at, body] of items.entries()) {
      const { name } = body.metadata
      if (at < to && !before.has(name)) await host.request({ method: 'POST', path, body })
      if (at >= to && before.has(name))
        await host.request({ method: 'DELETE', path: resourcePath(INSTANCES, { name }) })
    }
    const now = await list()
    const phases = new Map(now.items.map(({ metadata, status }) => [metadata.name, status?.phase]))
    const ready = () => [...phases.values()].filter(phase => phase === 'Ready').length
    const telling = setInterval(() => tell({ kind: 'progress', ready: ready() }), PROGRESS_MS)
    const query = { resourceVersion: now.metadata.resourceVersion }
    const changes = host.watch({ path, query, signal: this.#stopping.signal })[Symbol.asyncIterator]()
    while (phases.size !== to || ready() !== to) {
      const { value, done } = await changes.next()
      if (done) throw new Error('the watch of the Instances ended')
      const { metadata, status } = value.object as Instance
      if (value.type === 'DELETED') phases.delete(metadata.name)
      else if (value.type === 'ADDED' || value.type === 'MODIFIED') phases.set(metadata.name, status?.phase)
    }
    await changes.return?.()
    clearInterval(telling)
    tell({ kind: 'resized', ms: performance.now() - began })
  }

  async #reportNextLeader(not: string): Promise<void> {
    const at = { namespace: 'kairship-system' }
    const query = { fieldSelector: 'metadata.name=kairship-controller-manager' }
    const changes = this.fleet.host.watch({
      path: resourcePath(LEASES, at),
      query,
      signal: this.#stopping.signal,
    })
    for await (const { object } of changes) {
      const identity = leaseHolder(object as Lease)
      // A replica adds something random to its name.
      if (identity !== '' && !identity.startsWith(`${not}_`))
        return tell({ kind: 'leader', identity, atEpochMs: Date.now() })
    }
  }

  /** From the answer to the change of a registration until the host has stored the phase that follows from it. */
  async #flap(times: number): Promise<void> {
    const { items } = this.fleet
    const ms: number[] = []
    // Spread over the fleet: which have settled longest makes no difference.
    const step = Math.max(1, Math.floor(items.length / times))
    for (const { metadata } of items.filter((_, at) => at % step === 0).slice(0, times))
      for (const [phase, status] of [
        ['Degraded', 'False'],
        ['Ready', 'True'],
      ] as const)
        ms.push(await this.#until(metadata.name, phase, status))
    tell({ kind: 'noticed', ms })
  }

  async #until(name: string, phase: string, status: 'True' | 'False'): Promise<number> {
    const { host } = this.fleet
    const at = resourcePath(INSTANCES, { name })
    const { metadata } = await host.request<Instance>({ method: 'GET', path: at })
    const query = {
      resourceVersion: metadata.resourceVersion,
      fieldSelector: `metadata.name=${name}`,
    }
    const registration = { name, subresource: 'status' }
    const changes = host.watch({ path, query, signal: this.#stopping.signal })[Symbol.asyncIterator]()
    await host.request<InstanceRegistration>({
      method: 'PATCH',
      path: resourcePath(INSTANCE_REGISTRATIONS, registration),
      contentType: 'application/merge-patch+json',
      body: {
        status: {
          conditions: [
            {
              type: 'Registered',
              status,
              reason: 'Bench',
              message: 'changed by a bench',
              lastTransitionTime: now(),
            },
          ],
        },
      },
    })
    const began = performance.now()
    for (;;) {
      const { value, done } = await changes.next()
      if (done) throw new Error('the watch of an Instance ended')
      if ((value.object as Instance).status?.phase === phase) break
    }
    await changes.return?.()
    return performance.now() - began
  }
}

const now = (): string => new Date().toISOString()
