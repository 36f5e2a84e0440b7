import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { type KubeList, resourcePath } from '../../manifests/kube.js'
import { PATIENCE_MS } from '../patience.js'
import { repositoryFolder } from '../real/repository.js'
import type { Census } from './support/census.js'
import { eventually } from './support/eventually.js'
import type { KairshipProcess } from './support/kairship-process.js'
import { Scenario } from './support/scenario.js'

const MANY = 12
const FEW = 2
/** Half as many things as instances came and went are taken for a leak: what the process itself needs differs by less at rest. */
const TOLERATED = (MANY - FEW) / 2

/**
 * Of these there may be more afterwards: of the first two, bounded memories consist (events written, answers); undici keeps the clients
 * of a pool, up to 16 for the host, and each of them the headers of its last answer, a Buffer over an ArrayBuffer.
 */
const BOUNDED: ReadonlySet<string> = new Set(['Object', 'Array', 'Client', 'Buffer', 'ArrayBuffer'])

/** What one fleet of a size costs the process that manages it. */
interface Costs {
  readonly census: Census
  readonly sockets: number
  /** Metric series with their labels. */
  readonly series: readonly string[]
}

/**
 * A fleet grows and shrinks back, under one `kairship controller-manager`. What instances needed is compared before and after
 * by the objects that are reachable in its heap, so that it does not matter when V8 gives memory back.
 */
describe('a fleet that grew and shrank back', () => {
  let scenario: Scenario
  let replica: KairshipProcess
  let health: string
  let all: readonly Instance[]
  let [small, large, again] = [] as unknown as [Costs, Costs, Costs]

  const list = async () =>
    (
      await scenario.host.local.request<KubeList<Instance>>({
        method: 'GET',
        path: resourcePath(INSTANCES),
      })
    ).items
  /** Creates or deletes instances until there are so many, and waits until these are ready and the others gone. */
  const resize = async (size: number): Promise<void> => {
    const there = new Set((await list()).map(({ metadata }) => metadata.name))
    for (const [at, { apiVersion, kind, metadata, spec }] of all.entries()) {
      const { name } = metadata
      if (at < size && !there.has(name))
        await scenario.create(INSTANCES, { apiVersion, kind, metadata: { name }, spec } as never)
      if (at >= size && there.has(name)) await scenario.remove(INSTANCES, name)
    }
    // On a busy machine one or the other is degraded at any moment.
    const ready = new Set<string>()
    const isSo = async () => {
      const now = await list()
      for (const { metadata, status } of now) if (status?.phase === 'Ready') ready.add(metadata.name)
      return now.length === size && now.every(({ metadata }) => ready.has(metadata.name))
    }
    await eventually(`${size} instances were ready`, isSo, {
      ...scenario.patience,
      withinMs: 2 * PATIENCE_MS,
    })
  }

  let censuses = 0
  const costs = async (): Promise<Costs> => {
    const text = await (await fetch(`${health}/metrics`)).text()
    const series = text.split('\n').filter(line => line !== '' && !line.startsWith('#'))
    const sockets = series.filter(line => /^nodejs_active_resources\{type="TCPSocketWrap"/.test(line))
    replica.kill('SIGUSR2')
    censuses += 1
    const { objects, bytes } = (await replica.said(`census ${censuses}`)) as unknown as Census
    return {
      census: { objects, bytes },
      sockets: Number(sockets[0]?.split(' ').at(-1) ?? 0),
      series: series.map(line => line.slice(0, line.lastIndexOf(' '))),
    }
  }
  /** Classes of which there are more than before, by how many. */
  const grown = (before: Costs, after: Costs) =>
    Object.entries(after.census.objects)
      .filter(([name]) => !BOUNDED.has(name))
      .map(([name, count]) => [name, count - (before.census.objects[name] ?? 0)] as const)
      .filter(([, more]) => more >= TOLERATED)

  /** The later costs with the fewest of each class: what is under way is there in one census, what is kept for ever in each. */
  const fewest = (one: Costs, later: Costs): Costs => {
    const objects = Object.entries(later.census.objects).map(
      ([name, count]) => [name, Math.min(count, one.census.objects[name] ?? 0)] as const,
    )
    return { ...later, census: { ...later.census, objects: Object.fromEntries(objects) } }
  }

  beforeAll(async () => {
    scenario = await Scenario.start({ instances: MANY })
    all = await list()
    for (const { metadata } of all.slice(FEW)) await scenario.remove(INSTANCES, metadata.name)
    const census = pathToFileURL(join(repositoryFolder, 'dist/test/scenarios/support/census.js')).href
    // Paces of production: what is measured is what stays, and the machine has other tests to run.
    const paces = [
      '--probe-interval-ms',
      '10000',
      '--status-interval-ms',
      '10000',
      '--index-canary-interval-ms',
      '0',
    ]
    replica = scenario.replicaWith({ NODE_OPTIONS: `--import ${census}` }, 'a', ...paces)
    health = String((await replica.said('health and metrics are listening')).url)
    await resize(FEW)
    // Code that only a deletion runs is loaded and compiled now.
    await resize(FEW - 1)
    await resize(FEW)
    small = await costs()
    await resize(MANY)
    large = await costs()
    await resize(FEW)
    again = await costs()
    // Sockets to the host close when they were idle for a minute. What is kept for ever is still there then.
    const until = performance.now() + PATIENCE_MS
    while (grown(small, again).length > 0 && performance.now() < until) again = fewest(again, await costs())
  }, 6 * PATIENCE_MS)
  afterAll(() => scenario?.end())

  it('has an actor, a probe, a connection and a socket for each instance while it is large', () => {
    const { objects } = large.census
    const { InstanceActor, Probe, InstanceConnection } = objects
    expect({ InstanceActor, Probe, InstanceConnection }).toEqual({
      InstanceActor: MANY,
      Probe: MANY,
      InstanceConnection: MANY,
    })
    expect(grown(small, large).length).toBeGreaterThan(10)
  })

  it('keeps nothing of an instance that is gone', () => {
    const { InstanceActor, Probe, InstanceConnection } = again.census.objects
    expect({ InstanceActor, Probe, InstanceConnection }).toEqual({
      InstanceActor: FEW,
      Probe: FEW,
      InstanceConnection: FEW,
    })
    expect(grown(small, again)).toEqual([])
  })

  it('has closed the connections to the instances that are gone', () => {
    const sessions = ({ census }: Costs) => census.objects.ClientHttp2Session ?? 0
    expect(sessions(large) - sessions(small)).toBe(MANY - FEW)
    expect(sessions(again)).toBe(sessions(small))
    expect(again.sockets).toBeLessThan(large.sockets)
  })

  it('gives the memory back', () => {
    const [growth, rest] = [large, again].map(({ census }) => census.bytes - small.census.bytes) as [
      number,
      number,
    ]
    expect(rest).toBeLessThan(growth / 2)
  })

  it('shows metric series for instances that are not ready, and for no others', () => {
    const naming = ({ series }: Costs, from: number) =>
      series.filter(line => all.slice(from).some(({ metadata }) => line.includes(`"${metadata.name}"`)))
    expect(naming(large, 0).filter(line => !line.startsWith('kairship_instance_not_ready{'))).toEqual([])
    expect(naming(again, FEW)).toEqual([])
  })
})
