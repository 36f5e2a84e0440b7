/**
 * Real engines against the embedded index, in one run on one machine: how long a write in a Karmada instance takes to be
 * visible, and what reading costs. `npm run bench:real -- [--sizes 100,1000,10000] [--seconds 5] [--json]`
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ApiClient, type ApiCredentials } from '../test/real/api-client.js'
import { eventually } from '../test/real/probe.js'
import { startStack } from '../test/real/stack.js'

const flag = (name: string, otherwise: string): string => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? otherwise : (process.argv[at + 1] ?? otherwise)
}
const sizes = flag('sizes', '100,1000,10000').split(',').map(Number)
const measuredMs = Number(flag('seconds', '5')) * 1_000
const say = (line: string): void => console.error(line)

/** Milliseconds, rounded to hundredths. */
interface Distribution {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

function distribution(milliseconds: readonly number[]): Distribution {
  const sorted = [...milliseconds].sort((a, b) => a - b)
  const at = (share: number): number =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN) * 100) /
    100
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}

/** Repeats a request over so many connections for a while. */
async function load(
  connections: number,
  work: () => Promise<void>,
): Promise<{ perSecond: number; milliseconds: Distribution }> {
  const took: number[] = []
  const began = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - began < measuredMs) {
        const start = performance.now()
        await work()
        took.push(performance.now() - start)
      }
    }),
  )
  const seconds = (performance.now() - began) / 1_000
  return { perSecond: Math.round((took.length / seconds) * 10) / 10, milliseconds: distribution(took) }
}

const clusterName = 'bench'
/** One way to read the same objects. */
interface Door {
  readonly name: string
  readonly client: ApiClient
  readonly prefix: string
  /** The query of a page of twenty, sorted by name. */
  readonly page: string
}

const deployment = (name: string): unknown => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, labels: { app: name, tier: 'bench' } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [{ name: 'main', image: 'example.test/main:1', env: [{ name: 'A', value: '1' }] }],
      },
    },
  },
})

async function fill(karmada: ApiClient, namespace: string, size: number): Promise<void> {
  await karmada.must('POST', '/api/v1/namespaces', { metadata: { name: namespace } })
  let next = 0
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (next < size) {
        const name = `d-${String(next++).padStart(5, '0')}`
        await karmada.must('POST', `/apis/apps/v1/namespaces/${namespace}/deployments`, deployment(name))
      }
    }),
  )
}

async function reading(door: Door, namespace: string, size: number): Promise<unknown> {
  const path = `${door.prefix}/apis/apps/v1/namespaces/${namespace}/deployments`
  const count = async (): Promise<number> => {
    const { body } = await door.client.send('GET', path)
    return (body as { items?: unknown[] }).items?.length ?? 0
  }
  await eventually(async () => (await count()) === size, `${size} deployments at ${door.name}`, 300_000)
  const name = (): string => `d-${String(Math.floor(Math.random() * size)).padStart(5, '0')}`
  return {
    get: await load(32, () => door.client.drain(`${path}/${name()}`)),
    list: await load(1, () => door.client.drain(path)),
    page: await load(1, () => door.client.drain(`${path}?${door.page}`)),
  }
}

/** Milliseconds from the answer to a write until a read through the door shows it. */
async function lag(karmada: ApiClient, door: Door, samples: number): Promise<Distribution> {
  const path = '/api/v1/namespaces/default/configmaps/lag'
  const took: number[] = []
  for (let sample = 0; sample < samples; sample++) {
    const mark = `${door.name}-${sample}`
    await karmada.must('PATCH', path, { data: { mark } }, { 'content-type': 'application/merge-patch+json' })
    const written = performance.now()
    for (;;) {
      const { body } = await door.client.send('GET', door.prefix + path)
      if ((body as { data?: { mark?: string } }).data?.mark === mark) break
    }
    took.push(performance.now() - written)
  }
  return distribution(took)
}

/** Writes at a steady rate until told to stop; returns how many there were per second. */
function writing(karmada: ApiClient, perSecond: number): () => Promise<number> {
  let writes = 0
  let running = true
  const began = performance.now()
  const writer = async (index: number): Promise<void> => {
    for (let turn = index; running; turn += 8) {
      const due = began + (turn * 1_000) / perSecond
      await new Promise(resolve => setTimeout(resolve, Math.max(0, due - performance.now())))
      const path = `/api/v1/namespaces/default/configmaps/busy-${turn % 50}`
      await karmada.must(
        'PATCH',
        path,
        { data: { turn: String(turn) } },
        { 'content-type': 'application/merge-patch+json' },
      )
      writes += 1
    }
  }
  const writers = Array.from({ length: 8 }, (_, index) => writer(index))
  return async () => {
    running = false
    await Promise.all(writers)
    return Math.round((writes / (performance.now() - began)) * 1_000)
  }
}

async function index(host: ApiClient, kubeconfig: string): Promise<void> {
  const path = '/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters'
  await host.must('POST', path, {
    apiVersion: 'cluster.clusterpedia.io/v1alpha2',
    kind: 'PediaCluster',
    metadata: { name: clusterName },
    spec: {
      kubeconfig: Buffer.from(readFileSync(kubeconfig)).toString('base64'),
      syncResources: [
        { group: '', resources: ['configmaps'] },
        { group: 'apps', resources: ['deployments'] },
      ],
    },
  })
}

const stack = await startStack({ karmadas: { 'karmada-bench': [] }, clusterpedia: true }, say)
const embedded = fork(join(import.meta.dirname, 'real-index.js'), {
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
})
try {
  const [credentials] = (await once(embedded, 'message')) as [ApiCredentials]
  const karmada = stack.karmadas.get('karmada-bench')
  if (karmada === undefined) throw new Error('the stack lacks karmada-bench')
  const ours = new ApiClient(credentials)
  const prefix = `/apis/clusterpedia.io/v1beta1/resources/clusters/${clusterName}`
  const doors: readonly Door[] = [
    { name: 'kube-apiserver', client: karmada.client, prefix: '', page: 'limit=20' },
    { name: 'Clusterpedia', client: stack.host.client, prefix, page: 'limit=20&orderby=name' },
    { name: 'embedded index', client: ours, prefix, page: 'limit=20&orderby=name' },
  ]
  const configMaps = '/api/v1/namespaces/default/configmaps'
  for (const name of ['lag', ...Array.from({ length: 50 }, (_, index) => `busy-${index}`)])
    await karmada.client.must('POST', configMaps, { metadata: { name } })
  for (const { client } of doors.slice(1)) await index(client, karmada.kubeconfig)
  for (const { name, client } of doors.slice(1))
    await eventually(
      async () => (await client.send('GET', `${prefix}${configMaps}/lag`)).status === 200,
      `${name} syncing`,
    )

  const result: Record<string, unknown> = { lag: {}, reads: {} }
  const lags = result.lag as Record<string, unknown>
  const reads = result.reads as Record<string, Record<string, unknown>>
  for (const door of doors.slice(1)) {
    const idle = await lag(karmada.client, door, 100)
    const stop = writing(karmada.client, 200)
    const busy = await lag(karmada.client, door, 100)
    lags[door.name] = { idle, busy, writesPerSecond: await stop() }
    say(`lag of ${door.name}: ${JSON.stringify(lags[door.name])}`)
  }
  for (const size of sizes) {
    const namespace = `bench-${size}`
    await fill(karmada.client, namespace, size)
    reads[size] = {}
    for (const door of doors) {
      reads[size][door.name] = await reading(door, namespace, size)
      say(`${size} deployments, ${door.name}: ${JSON.stringify(reads[size][door.name])}`)
    }
  }
  console.log(JSON.stringify(result, null, process.argv.includes('--json') ? 0 : 2))
} finally {
  embedded.disconnect()
  await stack.close()
}
process.exit(0)
