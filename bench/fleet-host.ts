/** The playground of `bench/fleet.ts`, in a process of its own so that its memory and CPU are not Kairship's. */
import { kubeConnector } from '../actors/kube/connector.js'
import { INSTANCES, type Instance } from '../manifests/instance.js'
import { resourcePath } from '../manifests/kube.js'
import { type Lease, leaseHolder } from '../manifests/lease.js'
import { startPlayground } from '../playground/fleet/fleet.js'
import { silent } from '../test/silent.js'

/** What this process tells the bench. */
export type FleetMessage =
  | { readonly kind: 'up'; readonly kubeconfig: string }
  /** So many instances are ready by now. */
  | { readonly kind: 'progress'; readonly ready: number }
  /** All instances are ready; milliseconds from the registration to the first. */
  | { readonly kind: 'ready'; readonly firstMs: number; readonly lastMs: number }
  /** There are as many instances as asked for: all are ready, the others gone. */
  | { readonly kind: 'resized'; readonly ms: number }
  /** Another replica took the lease; when the host executed it. */
  | { readonly kind: 'leader'; readonly identity: string; readonly atEpochMs: number }

/** What the bench asks of this process. */
export type FleetRequest =
  | { readonly kind: 'register' }
  /** Creates or deletes instances until there are so many. */
  | { readonly kind: 'resize'; readonly to: number }
  | { readonly kind: 'report the next leader'; readonly not: string }
  | { readonly kind: 'stop' }

const LEASES = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' } as const

/** How often the bench is told how far things are, milliseconds. */
const PROGRESS_MS = 5_000

const instances = Number(process.argv[2])
const playground = await startPlayground({
  instances,
  membersPerInstance: Number(process.argv[3]),
  // Its own engines need no sockets to each other: what is measured is Kairship, which has them.
  withoutSockets: true,
  connector: kubeConnector(),
  log: silent,
})
const { local } = playground.host
const stopping = new AbortController()

// The playground registers its instances by itself: they are taken back, and given again when the bench says so.
const path = resourcePath(INSTANCES)
const { items } = await local.request<{ items: Instance[] }>({ method: 'GET', path })
for (const { metadata } of items)
  await local.request({ method: 'DELETE', path: resourcePath(INSTANCES, { name: metadata.name }) })

const tell = (message: FleetMessage): void => void process.send?.(message)

async function register(): Promise<void> {
  const began = performance.now()
  let firstMs: number | undefined
  const ready = new Set<string>()
  const telling = setInterval(() => tell({ kind: 'progress', ready: ready.size }), PROGRESS_MS)
  const watching = (async () => {
    for await (const { type, object } of local.watch({ path, signal: stopping.signal })) {
      if (type !== 'ADDED' && type !== 'MODIFIED') continue
      const { metadata, status } = object as Instance
      if (status?.phase === 'Ready') ready.add(metadata.name)
      if (ready.size > 0) firstMs ??= performance.now() - began
      if (ready.size === instances) return
    }
  })()
  for (const { apiVersion, kind, metadata, spec } of items) {
    const body = { apiVersion, kind, metadata: { name: metadata.name }, spec }
    await local.request({ method: 'POST', path, body })
  }
  await watching
  clearInterval(telling)
  tell({ kind: 'ready', firstMs: firstMs ?? 0, lastMs: performance.now() - began })
}

async function resize(to: number): Promise<void> {
  const began = performance.now()
  const list = () =>
    local.request<{ items: Instance[]; metadata: { resourceVersion: string } }>({ method: 'GET', path })
  const before = new Set((await list()).items.map(({ metadata }) => metadata.name))
  for (const [at, { apiVersion, kind, metadata, spec }] of items.entries()) {
    const { name } = metadata
    const body = { apiVersion, kind, metadata: { name }, spec }
    if (at < to && !before.has(name)) await local.request({ method: 'POST', path, body })
    if (at >= to && before.has(name))
      await local.request({ method: 'DELETE', path: resourcePath(INSTANCES, { name }) })
  }
  const now = await list()
  const phases = new Map(now.items.map(({ metadata, status }) => [metadata.name, status?.phase]))
  const ready = () => [...phases.values()].filter(phase => phase === 'Ready').length
  const telling = setInterval(() => tell({ kind: 'progress', ready: ready() }), PROGRESS_MS)
  const query = { resourceVersion: now.metadata.resourceVersion }
  const changes = local.watch({ path, query, signal: stopping.signal })[Symbol.asyncIterator]()
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

async function reportNextLeader(not: string): Promise<void> {
  const at = { namespace: 'kairship-system' }
  const query = { fieldSelector: 'metadata.name=kairship-controller-manager' }
  for await (const { object } of local.watch({
    path: resourcePath(LEASES, at),
    query,
    signal: stopping.signal,
  })) {
    const identity = leaseHolder(object as Lease)
    // A replica adds something random to its name.
    if (identity !== '' && !identity.startsWith(`${not}_`))
      return tell({ kind: 'leader', identity, atEpochMs: Date.now() })
  }
}

const answer = (request: FleetRequest): Promise<void> => {
  if (request.kind === 'register') return register()
  if (request.kind === 'resize') return resize(request.to)
  if (request.kind === 'report the next leader') return reportNextLeader(request.not)
  if (request.kind !== 'stop') return Promise.resolve() // for `measured.ts`
  stopping.abort()
  return playground.close().then(() => process.disconnect())
}
process.on('message', message => {
  answer(message as FleetRequest).catch((error: unknown) => {
    if (stopping.signal.aborted) return
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
    process.exit(1)
  })
})
tell({ kind: 'up', kubeconfig: playground.kubeconfigs.controllerManager })
