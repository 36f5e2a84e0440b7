import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { ApiClient } from '../api-client.js'
import { control, type EngineAction } from '../control.js'
import type { EngineProcess } from '../engine-process.js'
import { saysWhatKarmadaSays } from '../figures.js'
import { memberReady } from '../join-member.js'
import { adopt, installKairship, startKairship } from '../kairship.js'
import { eventually } from '../probe.js'

// biome-ignore lint/suspicious/noExplicitAny: objects of every shape are read here
type Json = any

const instances = '/apis/kairship.io/v1alpha1/instances'
const clusters = '/apis/cluster.karmada.io/v1alpha1/clusters'
const east = 'karmada-east'
const member = 'member-1'

/** Kairship keeps running, and finds back to what is true, whichever engine dies under it. */
describe('an engine killed while Kairship runs', () => {
  const stack = inject('stack')
  const host = new ApiClient(stack.host)
  const karmadas = Object.entries(stack.karmadas).map(([name, at]) => ({ name, client: new ApiClient(at) }))
  const karmada = (name: string): ApiClient => {
    const found = karmadas.find(one => one.name === name)
    if (found === undefined) throw new Error(`the stack lacks ${name}`)
    return found.client
  }
  let kairship: EngineProcess

  const engine = (name: string, action: EngineAction): Promise<void> => control(stack.control, name, action)
  const instance = (name: string): Promise<Json> => host.must('GET', `${instances}/${name}`)

  /** Proves that Kairship follows both instances: it answers a change of each with what is true, and that is Ready. */
  async function followed(): Promise<void> {
    const alias = `changed ${Date.now()}`
    for (const { name } of karmadas) {
      // The host may still be coming back.
      await eventually(async () => (await host.send('GET', `${instances}/${name}`)).status === 200, name)
      const { metadata } = await host.must<Json>(
        'PATCH',
        `${instances}/${name}`,
        { spec: { alias } },
        { 'content-type': 'application/merge-patch+json' },
      )
      await eventually(async () => {
        const { status } = await instance(name)
        return status?.observedGeneration >= metadata.generation && status.phase === 'Ready'
      }, `${name} followed and Ready`)
    }
    expect(kairship.pid).toBeDefined()
  }

  beforeAll(async () => {
    await installKairship(host)
    kairship = await startKairship(host, `${stack.folder}/kairship`, 'engines')
    for (const { name } of karmadas) await adopt(host, stack, name)
    await followed()
  })

  afterAll(async () => {
    try {
      for (const { name } of karmadas) await host.must('DELETE', `${instances}/${name}`)
      for (const { name } of karmadas)
        await eventually(
          async () => (await host.send('GET', `${instances}/${name}`)).status === 404,
          `${name} gone`,
        )
    } finally {
      // Left running, it would lead before that of the suite that comes next.
      await kairship?.stop()
    }
    for (const client of [host, ...karmadas.map(({ client }) => client)]) await client.close()
  })

  it('before any kill: the figures equal those of Karmada’s clusters', async () => {
    for (const { name, client } of karmadas) await saysWhatKarmadaSays(() => instance(name), client)
  })

  // Now: an API server that has just been started refuses by mistake, see docs/dependencies.md.
  it('before any kill: every request of Kairship is allowed by its roles', () => {
    const lines = readFileSync(kairship.options.log, 'utf8').split('\n')
    expect(lines.filter(line => /forbidden/i.test(line))).toEqual([])
  })

  it.each([
    'etcd',
    'postgres',
    'host-kube-apiserver',
    'host-kube-controller-manager',
    'clusterpedia-apiserver',
    'clusterpedia-clustersynchro-manager',
    `${east}-kube-apiserver`,
    `${east}-kube-controller-manager`,
    `${east}-webhook`,
    `${east}-aggregated-apiserver`,
    `${east}-controller-manager`,
    `${east}-scheduler`,
  ])('%s: both instances are Ready again when it is back', async name => {
    await engine(name, 'crash')
    await engine(name, 'start')
    await followed()
  })

  it('a member’s API server: the member is counted as not ready until it is back', async () => {
    const ready = async (): Promise<number> => (await instance(east)).status.summary?.clusterSummary?.readyNum
    const { items } = await karmada(east).must<{ items: Json[] }>('GET', clusters)
    const all = items.length
    await eventually(async () => (await ready()) === all, 'all members ready before')
    await engine(`${member}-kube-apiserver`, 'crash')
    try {
      await eventually(async () => (await ready()) === all - 1, 'one member fewer ready')
      await eventually(
        async () => (await instance(east)).status.phase === 'Ready',
        `${east} Ready all the same`,
      )
    } finally {
      await engine(`${member}-kube-apiserver`, 'start')
    }
    await memberReady({ name: east, client: karmada(east) }, member)
    await eventually(async () => (await ready()) === all, 'all members ready')
  }, 1_200_000)

  it('all at once: state and figures are as before when they are back', async () => {
    // In the order in which they were started, which is the one in which they can be.
    const engines = Object.keys(stack.processes)
    await Promise.all(engines.map(name => engine(name, 'crash')))
    for (const name of engines) await engine(name, 'start')
    await followed()
    for (const { name, client } of karmadas) await saysWhatKarmadaSays(() => instance(name), client)
  }, 900_000)
})
