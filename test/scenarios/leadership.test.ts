import { afterEach, describe, expect, it, vi } from 'vitest'
import { INSTANCES } from '../../manifests/instance.js'
import { PEDIA_CLUSTERS } from '../../manifests/pedia-cluster.js'
import { eventually } from './support/eventually.js'
import { Scenario, takeoverSlackMs, term } from './support/scenario.js'

vi.setConfig({ testTimeout: 300_000 })

let scenario: Scenario
afterEach(() => scenario.end())

/** Requests of Kairship processes to the host, as `PATCH /apis/…`; watches that stay open are counted when they begin. */
function recordRequests(): string[] {
  const requests: string[] = []
  scenario.host.interrupt({
    kind: 'answer',
    matches: ({ method, path, query }) => {
      const watch = query.get('watch') === 'true'
      requests.push(`${watch ? 'WATCH' : method} ${path}`)
      return false
    },
    response: { code: 500, body: { text: '', contentType: 'text/plain' } },
  })
  return requests
}
const writes = (requests: readonly string[]): readonly string[] =>
  requests.filter(request => /^(POST|PUT|PATCH|DELETE) /.test(request) && !request.includes('/leases'))
/** Waits until the leader has renewed a few times without writing anything else: the fleet has settled. */
async function settled(): Promise<void> {
  let seen = recordRequests()
  await eventually(
    'nothing is written any more',
    () => {
      if (writes(seen).length > 0) seen = recordRequests()
      return seen.filter(one => one.includes('/leases/')).length >= 5
    },
    scenario.patience,
  )
}
const identities = ['a', 'b'] as const
const other = (identity: string): 'a' | 'b' => (identity === 'a' ? 'b' : 'a')

describe('two replicas', () => {
  it('started at once: one leads, and nothing is made twice', async () => {
    scenario = await Scenario.start({ instances: 2 })
    for (const identity of identities) scenario.replica(identity)
    for (const name of scenario.playground.karmadas.keys()) await scenario.phase(name, 'Ready')
    const made = scenario.chronicle().filter(line => line.startsWith('ADDED'))
    expect(made.sort()).toEqual([
      'ADDED Instance eu-west',
      'ADDED Instance us-east',
      'ADDED InstanceRegistration eu-west',
      'ADDED InstanceRegistration us-east',
      'ADDED PediaCluster k-eu-west',
      'ADDED PediaCluster k-us-east',
    ])
    expect(scenario.chronicle().filter(line => line.startsWith('DELETED'))).toEqual([])
    const leading = scenario.replicas.filter(({ log }) => log.some(({ msg }) => msg === 'this replica leads'))
    expect(leading).toHaveLength(1)
  })

  it('of which the leader is killed: the other leads within the lease’s duration and a second, and changes nothing', async () => {
    scenario = await Scenario.start()
    const replicas = { a: scenario.replica('a'), b: scenario.replica('b') }
    await scenario.phase('eu-west', 'Ready')
    await settled()
    const leader = (await scenario.leader()) as 'a' | 'b'
    const before = scenario.happenings.length

    replicas[leader].kill('SIGKILL')
    const killed = performance.now()
    await replicas[leader].ended
    await scenario.leader(holder => holder === other(leader))
    const taken = scenario.happenings.find(
      ({ what, object }, index) =>
        index >= before &&
        what.startsWith('Lease') &&
        JSON.stringify(object).includes(`"holderIdentity":"${other(leader)}"`),
    )
    expect(taken!.at - killed).toBeLessThanOrEqual(term.leaseDurationMs + takeoverSlackMs)

    const requests = recordRequests()
    // Several probes and renewals of the new leader: time enough to do something, if it wanted to.
    await eventually(
      'the new leader has renewed ten times',
      () => requests.filter(one => one.includes('/leases/')).length >= 10,
    )
    expect(writes(requests)).toEqual([])
    expect(scenario.chronicle(before)).toEqual([])
  })

  it('of which the leader is asked to stop: the lease is given back, and the other leads at once', async () => {
    scenario = await Scenario.start()
    const replicas = { a: scenario.replica('a'), b: scenario.replica('b') }
    await scenario.phase('eu-west', 'Ready')
    await settled()
    const leader = (await scenario.leader()) as 'a' | 'b'
    const before = scenario.happenings.length
    replicas[leader].kill('SIGTERM')
    expect(await replicas[leader].ended, replicas[leader].story()).toEqual({ code: 0, signal: null })
    await scenario.leader(holder => holder === other(leader))
    const leases = scenario.happenings.slice(before).filter(({ what }) => what.startsWith('Lease'))
    const holders = leases.map(
      ({ object }) => (object as { spec?: { holderIdentity?: string } }).spec?.holderIdentity ?? '',
    )
    const returned = leases[holders.indexOf('')]!
    const taken = leases[holders.indexOf(other(leader))]!
    expect(taken.at - returned.at).toBeLessThanOrEqual(takeoverSlackMs)
    expect(scenario.chronicle(before)).toEqual([])
  })
})

it('a fleet at rest costs no write and no list, only watches and probes', async () => {
  scenario = await Scenario.start({ members: 1 })
  scenario.replica('a')
  await scenario.phase('eu-west', 'Ready')
  await settled()
  const requests = recordRequests()
  await eventually('ten renewals', () => requests.filter(one => one.includes('/leases/')).length >= 10)
  expect(requests.filter(one => !one.includes('/leases/') && !one.startsWith('WATCH'))).toEqual([])
})

it('a replica that is asked to stop does so in whatever state its instances are, and gives the lease back', async () => {
  scenario = await Scenario.start({ instances: 3 })
  const replica = scenario.replica('a')
  const [ready, degraded, deleting] = [...scenario.playground.karmadas.keys()] as [string, string, string]
  for (const name of [ready, degraded, deleting]) await scenario.phase(name, 'Ready')

  await scenario.create(INSTANCES, {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name: 'registering' },
    spec: { kubeconfigSecretRef: { namespace: 'karmada-instances', name: 'missing' } },
  } as never)
  await scenario.playground.karmadas.get(degraded)!.server.close()
  await scenario.hold(PEDIA_CLUSTERS, `k-${deleting}`, true)
  await scenario.remove(INSTANCES, deleting)
  await scenario.phase('registering', 'Registering')
  await scenario.phase(degraded, 'Degraded')
  await scenario.phase(deleting, 'Deleting')

  replica.kill('SIGTERM')
  expect(await replica.ended, replica.story()).toEqual({ code: 0, signal: null })
  expect(await scenario.holder()).toBe('')
  expect(replica.log.filter(({ level }) => level === 'error')).toEqual([])
})
