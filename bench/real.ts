/**
 * Real engines against the embedded index, in one run on one machine: how long a write in a Karmada instance takes to be
 * visible, and what reading costs.
 * `npm run bench:real -- [--sizes 100,1000,10000] [--seconds 6] [--json]`; see bench/README.md.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ApiClient, type ApiCredentials } from '../test/real/api-client.js'
import { eventually } from '../test/real/probe.js'
import { startStack } from '../test/real/stack.js'
import { counted, deploymentName, deploymentsPath, fill } from './deployments.js'
import { lag, lagShown, prepareLag, writing } from './lag.js'
import { type Distribution, distribution, load, Reader } from './load.js'
import { cpuOf, cpuOfMachine } from './processes.js'
import { type Measured, ratios, tables } from './real-report.js'

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100,1000,10000' },
    seconds: { type: 'string', default: '6' },
    json: { type: 'boolean', default: false },
  },
})
const sizes = values.sizes.split(',').map(Number)
/** How long each figure is measured, in parts: proxies take turns, so that a busy moment meets all of them. */
const measuredMs = Number(values.seconds) * 1_000
const turns = 3
const began = performance.now()
const say = (line: string): void =>
  console.error(`${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s  ${line}`)

const clusterName = 'bench'
/** One way to read the same objects. */
interface Proxy {
  readonly name: string
  readonly client: ApiClient
  readonly reader: Reader
  readonly prefix: string
  /** What a page needs so that it is sorted by name. */
  readonly sorted: string
  /** Process ids of the engines that a read through this proxy keeps busy. */
  readonly engines: readonly number[]
}

/** How Deployments are read: how many at once, and what. */
const readings: readonly {
  readonly kind: 'get' | 'list' | 'page'
  readonly connections: number
  path(proxy: Proxy, namespace: string, size: number): string
}[] = [
  {
    kind: 'get',
    connections: 32,
    path: ({ prefix }, namespace, size) =>
      `${prefix}${deploymentsPath(namespace)}/${deploymentName(Math.floor(Math.random() * size))}`,
  },
  { kind: 'list', connections: 1, path: ({ prefix }, namespace) => prefix + deploymentsPath(namespace) },
  {
    kind: 'page',
    connections: 1,
    path: ({ prefix, sorted }, namespace) =>
      `${prefix}${deploymentsPath(namespace)}?limit=20&labelSelector=tier%3Dbench${sorted}`,
  },
]

/** Runs work and tells what the given processes, this one and everything else on the machine used of the CPU meanwhile. */
async function withCpu<T>(
  engines: readonly number[],
  work: () => Promise<T>,
): Promise<{ result: T; ms: number; engines: number; generator: number; elsewhere: number }> {
  const used = (): number[] => [
    performance.now(),
    engines.reduce((sum, pid) => sum + cpuOf(pid), 0),
    process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
    cpuOfMachine(),
  ]
  const before = used()
  const result = await work()
  const [ms = 0, enginesMs = 0, generator = 0, machine = 0] = used().map((now, at) => now - (before[at] ?? 0))
  return { result, ms, engines: enginesMs, generator, elsewhere: machine - enginesMs - generator }
}

/** Reads through every proxy in turns. */
async function reading(proxies: readonly Proxy[], namespace: string, size: number): Promise<Measured[]> {
  const figures: Measured[] = []
  for (const { kind, connections, path } of readings) {
    const parts = new Map(
      proxies.map(proxy => [proxy, { took: [] as number[], ms: 0, engines: 0, generator: 0, elsewhere: 0 }]),
    )
    // The first turn warms up and is not counted: connections are made, and V8 compiles what is hot.
    for (let turn = 0; turn <= turns; turn++)
      for (const [proxy, part] of parts) {
        const forMs = turn === 0 ? Math.min(1_000, measuredMs) : measuredMs / turns
        const { reader } = proxy
        const { result, ...cpu } = await withCpu(proxy.engines, () =>
          load(connections, forMs, () => reader.read(path(proxy, namespace, size))),
        )
        if (turn === 0) continue
        part.took.push(...result)
        for (const of of ['ms', 'engines', 'generator', 'elsewhere'] as const) part[of] += cpu[of]
      }
    for (const [{ name }, { took, ms, engines, generator, elsewhere }] of parts) {
      const hundredths = (value: number): number => Math.round(value * 100) / 100
      figures.push({
        size,
        kind,
        proxy: name,
        perSecond: Math.round((took.length / ms) * 10_000) / 10,
        milliseconds: distribution(took),
        cpuMsPerRequest: Math.round((engines / took.length) * 1_000) / 1_000,
        coresUsed: {
          engines: hundredths(engines / ms),
          generator: hundredths(generator / ms),
          elsewhere: hundredths(elsewhere / ms),
        },
      })
      say(JSON.stringify(figures.at(-1)))
    }
  }
  return figures
}

async function index(host: ApiClient, kubeconfig: string): Promise<void> {
  await host.must('POST', '/apis/cluster.clusterpedia.io/v1alpha2/pediaclusters', {
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
const open: Reader[] = []
try {
  const [credentials] = (await once(embedded, 'message')) as [ApiCredentials]
  const karmada = stack.karmadas.get('karmada-bench')
  if (karmada === undefined) throw new Error('the stack lacks karmada-bench')
  const processes = stack.site.processes()
  const engines = (...names: string[]): number[] =>
    names.map(name => {
      const pid = processes[name]
      if (pid === undefined) throw new Error(`no engine is called ${name}`)
      return pid
    })
  const proxy = (
    name: string,
    client: ApiClient,
    of: Pick<Proxy, 'prefix' | 'sorted' | 'engines'>,
  ): Proxy => {
    const reader = new Reader(client.credentials)
    open.push(reader)
    return { name, client, reader, ...of }
  }
  const prefix = `/apis/clusterpedia.io/v1beta1/resources/clusters/${clusterName}`
  const sorted = '&orderby=name'
  const source = proxy('kube-apiserver', karmada.client, {
    prefix: '',
    sorted: '',
    engines: engines('karmada-bench-kube-apiserver', 'etcd'),
  })
  const indexes = [
    proxy('Clusterpedia', stack.host.client, {
      prefix,
      sorted,
      engines: engines('clusterpedia-apiserver', 'postgres', 'host-kube-apiserver'),
    }),
    proxy('embedded index', new ApiClient(credentials), { prefix, sorted, engines: [embedded.pid ?? 0] }),
  ]
  await prepareLag(karmada.client)
  for (const { client } of indexes) await index(client, karmada.kubeconfig)
  for (const { name, client } of indexes) await eventually(() => lagShown(client, prefix), `${name} syncing`)

  const lags: Record<string, { idle: Distribution; busy: Distribution; writesPerSecond: number }> = {}
  for (const { name, client } of indexes) {
    await lag(karmada.client, client, prefix, `${name} warming up`, 500)
    const idle = await lag(karmada.client, client, prefix, `${name} idle`, measuredMs)
    const stop = writing(karmada.client, 200)
    const busy = await lag(karmada.client, client, prefix, `${name} busy`, measuredMs)
    lags[name] = { idle, busy, writesPerSecond: await stop() }
    say(`lag of ${name}: ${JSON.stringify(lags[name])}`)
  }

  const reads: Measured[] = []
  const caughtUpMs: Record<string, number> = {}
  for (const size of sizes) {
    const namespace = `bench-${size}`
    await fill(karmada.client, namespace, size, say)
    const created = performance.now()
    await Promise.all(
      indexes.map(async ({ name, client }) => {
        await eventually(
          async () => (await counted(client, prefix, namespace)) === size,
          `${size} Deployments at ${name}`,
          180_000,
        )
        caughtUpMs[`${name}, ${size}`] = Math.round(performance.now() - created)
      }),
    )
    say(`both indexes know ${size}: ${JSON.stringify(caughtUpMs)}`)
    reads.push(...(await reading([source, ...indexes], namespace, size)))
  }
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version, load: loadavg()[0] }
  const result = {
    bench: 'real',
    machine,
    seconds: measuredMs / 1_000,
    lags,
    caughtUpMs,
    reads,
    ratios: ratios(reads),
  }
  console.error(tables(lags, reads))
  console.log(JSON.stringify(result, null, values.json ? 0 : 2))
} finally {
  for (const reader of open) await reader.close()
  embedded.disconnect()
  await stack.close()
}
process.exit(0)
