import { describe, expect } from 'vitest'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { resourcePath } from '../../manifests/kube.js'
import type { ApiRequest } from '../../playground/apiserver/wire/exchange.js'
import { eventually } from './support/eventually.js'
import { type Scenario, shortTerm } from './support/scenario.js'
import { it } from './support/scenario-test.js'

const name = 'eu-west'

/** Counts, per collection, the lists and watches that Kairship asks of the host. */
function countReads({ host }: Scenario): ReadonlyMap<string, number> {
  const reads = new Map<string, number>()
  host.interrupt({
    kind: 'answer',
    matches: ({ method, path, query }) => {
      if (method === 'GET' && !path.includes('/leases')) {
        const collection = `${path} ${query.get('fieldSelector') ?? ''}`
        reads.set(collection, (reads.get(collection) ?? 0) + 1)
      }
      return false
    },
    response: { code: 500, body: { text: '', contentType: 'text/plain' } },
  })
  return reads
}

/** Does something after every so many requests to the host that match, until undone. */
function afterEvery(
  { host }: Scenario,
  count: number,
  matches: (request: ApiRequest) => boolean,
  act: () => void,
): () => void {
  let seen = 0
  return host.interrupt({
    kind: 'answer',
    matches: request => {
      // Once the request is on its way, as a fault would.
      if (matches(request) && ++seen % count === 0) setImmediate(act)
      return false
    },
    response: { code: 500, body: { text: '', contentType: 'text/plain' } },
  })
}

const adopt = (instance: string, secret: string) =>
  ({
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name: instance },
    spec: { kubeconfigSecretRef: { namespace: 'karmada-instances', name: secret } },
  }) as never

describe.concurrent('the host’s API server', () => {
  it('is unreachable during a start and comes back: the instance becomes ready', async ({ begin }) => {
    const scenario = await begin()
    const restore = scenario.host.interrupt({ kind: 'refuseConnections' })
    const replica = scenario.replica('a')
    await eventually(
      'it has tried',
      () => replica.log.some(({ level }) => level !== 'debug'),
      scenario.patience,
    )
    restore()
    await scenario.phase(name, 'Ready')
    expect(replica.ending).toBeUndefined()
  })

  it('is unreachable for a while: nothing counts as deleted, and nothing is created again', async ({
    begin,
  }) => {
    const scenario = await begin({ term: shortTerm })
    const replica = scenario.replica('a')
    await scenario.phase(name, 'Ready')
    const before = scenario.happenings.length
    const restore = scenario.host.interrupt({ kind: 'refuseConnections' })
    await replica.said('this replica no longer leads')
    restore()
    await scenario.leader(holder => holder === 'a')
    // Deletions are noticed after the outage, and that they were not noticed during it does no harm.
    await scenario.remove(INSTANCES, name)
    await scenario.gone(name)
    const made = scenario.chronicle(before).filter(line => line.startsWith('ADDED'))
    expect(made).toEqual([])
  })

  it('ends every watch repeatedly and compacts its history: the fleet stays current, without a hot loop', async ({
    begin,
  }) => {
    const scenario = await begin({ instances: 2 })
    const reads = countReads(scenario)
    let ends = 0
    // Whenever Kairship has come back: the storm is as fast as the machine, and no faster. After each end Kairship pauses
    // longer, up to 30 s, and becoming ready takes several reads one after the other: on a slow machine a storm without
    // an end outlasts all patience.
    const mostEnds = 8
    const calm = afterEvery(
      scenario,
      1,
      ({ path, query }) => path === resourcePath(INSTANCES) && query.get('watch') === 'true',
      () => {
        if (ends === mostEnds) return
        ends++
        scenario.host.interrupt({ kind: 'compact' })
        scenario.host.interrupt({ kind: 'endWatches' })
      },
    )
    scenario.replica('a')
    await scenario.phase(name, 'Ready')
    await scenario.create(INSTANCES, adopt('late', 'missing'))
    await scenario.phase('late', 'Registering')
    await scenario.remove(INSTANCES, 'late')
    await scenario.gone('late')
    calm()
    expect(ends).toBeGreaterThan(0)
    // An end that forgets the history costs a collection one watch that is refused, one list and one watch, whatever the
    // machine's speed; whoever asks more often than that goes round without being asked to.
    const most = 3 * (ends + 1)
    expect(reads.size).toBeGreaterThan(0)
    expect([...reads].filter(([, count]) => count > most)).toEqual([])
  })

  it('cuts every connection now and then: the instance becomes ready', async ({ begin }) => {
    const scenario = await begin()
    let cuts = 0
    // More requests than it takes to open every watch anew, so that there is some progress between two cuts.
    const calm = afterEvery(
      scenario,
      40,
      () => true,
      () => {
        cuts++
        scenario.host.interrupt({ kind: 'cutConnections' })
      },
    )
    scenario.replica('a')
    await scenario.phase(name, 'Ready')
    // The lease alone brings further cuts about; what happens between them is still seen.
    await eventually('three cuts', () => cuts >= 3, scenario.patience)
    await scenario.create(INSTANCES, adopt('late', 'missing'))
    await scenario.phase('late', 'Registering')
    calm()
  })

  it('answers every request late: the instance becomes ready', async ({ begin }) => {
    const scenario = await begin()
    scenario.host.interrupt({ kind: 'delay', milliseconds: 300 })
    scenario.replica('a')
    await scenario.phase(name, 'Ready')
  })

  it('has a full disk: Kairship keeps running, and continues when there is space', async ({ begin }) => {
    const scenario = await begin({ durable: true, term: shortTerm })
    const replica = scenario.replica('a')
    await scenario.phase(name, 'Ready')
    const restore = scenario.host.interrupt({ kind: 'diskFull' })
    await replica.said('this replica no longer leads')
    expect(replica.ending).toBeUndefined()
    restore()
    await scenario.leader(holder => holder === 'a')
    await scenario.remove(INSTANCES, name)
    await scenario.gone(name)
  })
})

describe.concurrent('a Karmada control plane', () => {
  it('that is unreachable degrades its instance, which is ready again after that', async ({ begin }) => {
    const scenario = await begin({ members: 1 })
    scenario.replica('a')
    await scenario.phase(name, 'Ready')
    const undo = scenario.playground.karmadas.get(name)!.server.interrupt({ kind: 'refuseConnections' })
    await eventually(
      'ControlPlaneHealthy=Unreachable',
      async () =>
        (await scenario.find<Instance>(INSTANCES, name))?.status?.conditions?.some(
          ({ type, reason }) => type === 'ControlPlaneHealthy' && reason === 'Unreachable',
        ),
      scenario.patience,
    )
    await scenario.phase(name, 'Degraded')
    undo()
    await scenario.phase(name, 'Ready')
  })

  it('that stops degrades its own instance, with the cause, and no other', async ({ begin }) => {
    const scenario = await begin({ instances: 2 })
    scenario.replica('a')
    await scenario.phase(name, 'Ready')
    await scenario.phase('us-east', 'Ready')
    const restore = scenario.playground.karmadas.get(name)!.server.interrupt({ kind: 'refuseConnections' })
    await scenario.phase(name, 'Degraded')
    const cause = await eventually(
      'the condition names the cause',
      async () => {
        const instance = await scenario.find<Instance>(INSTANCES, name)
        const healthy = instance?.status?.conditions?.find(({ type }) => type === 'ControlPlaneHealthy')
        return healthy?.status === 'True' ? undefined : healthy?.message
      },
      scenario.patience,
    )
    expect(cause).toMatch(/readyz|connect|socket|answer/)
    expect((await scenario.find<Instance>(INSTANCES, 'us-east'))?.status?.phase).toBe('Ready')
    restore()
    await scenario.phase(name, 'Ready')
  })
})
