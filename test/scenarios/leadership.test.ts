import { describe, expect } from 'vitest'
import { indexedCanaryPath } from '../../manifests/index-canary.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../manifests/instance-role-binding.js'
import { type KubeList, resourcePath } from '../../manifests/kube.js'
import type { Lease } from '../../manifests/lease.js'
import { PEDIA_CLUSTERS } from '../../manifests/pedia-cluster.js'
import { replicaName } from '../replica-name.js'
import { eventually } from './support/eventually.js'
import { type Scenario, shortTerm } from './support/scenario.js'
import { it } from './support/scenario-test.js'

/** Requests of Kairship processes to the host, as `PATCH /apis/…`; watches that stay open are counted when they begin. */
function recordRequests({ host }: Scenario): string[] {
  const requests: string[] = []
  host.interrupt({
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
/** Waits for a stretch of so many renewals of the lease in which nothing is asked that matters: the fleet has settled. */
async function quiet(
  scenario: Scenario,
  matters: (requests: readonly string[]) => readonly string[],
  renewals = 10,
): Promise<void> {
  let seen = recordRequests(scenario)
  let last: readonly string[] = []
  await eventually(
    'nothing is asked any more',
    () => {
      const found = matters(seen)
      if (found.length > 0) [seen, last] = [recordRequests(scenario), found]
      return seen.filter(one => one.includes('/leases/')).length >= renewals
    },
    { story: () => `${last.join('\n')}\n${scenario.patience.story()}` },
  )
}
/** Waits until all that there is to be done is done, and nothing is written any more. */
async function settled(scenario: Scenario): Promise<void> {
  await eventually(
    'every role binding is in the instance',
    async () => {
      const path = resourcePath(INSTANCE_ROLE_BINDINGS)
      const { items } = await scenario.host.local.request<KubeList<InstanceRoleBinding>>({
        method: 'GET',
        path,
      })
      return items.every(({ status }) =>
        status?.conditions?.some(({ type, status }) => type === 'Materialized' && status === 'True'),
      )
    },
    scenario.patience,
  )
  // The status is written after a pause, which is longer than the quiet below.
  await eventually(
    'every Instance says so',
    async () => {
      const path = resourcePath(INSTANCES)
      const { items } = await scenario.host.local.request<KubeList<Instance>>({ method: 'GET', path })
      return items.every(({ status }) =>
        status?.conditions?.some(
          ({ type, status }) => type === 'RoleBindingsMaterialized' && status === 'True',
        ),
      )
    },
    scenario.patience,
  )
  await quiet(scenario, writes)
}
const identities = ['a', 'b'] as const
const other = (identity: string): 'a' | 'b' => (identity === 'a' ? 'b' : 'a')

describe.concurrent('two replicas', () => {
  it('that start at once: one leads, and nothing is created twice', async ({ begin }) => {
    const scenario = await begin({ instances: 2 })
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

  it('of which the leader is killed: the other leads when the lease has expired, and changes nothing', async ({
    begin,
  }) => {
    const scenario = await begin({ term: shortTerm })
    const replicas = { a: scenario.replica('a'), b: scenario.replica('b') }
    await scenario.phase('eu-west', 'Ready')
    await settled(scenario)
    const leader = (await scenario.leader()) as 'a' | 'b'
    const before = scenario.happenings.length

    replicas[leader].kill('SIGKILL')
    await replicas[leader].ended
    const { spec: last } = await scenario.lease()
    await scenario.leader(holder => holder === other(leader))
    // Not before: both wrote down when, by the same clock (a second for its being set). How soon after, virtual time tells
    // (`test/machines/election.test.ts`).
    const { spec: taken } = await eventually('the other’s claim', async () => {
      const lease = await scenario.lease()
      return replicaName(lease.spec?.holderIdentity) === other(leader) ? lease : undefined
    })
    expect(taken?.leaseTransitions).toBe((last?.leaseTransitions ?? 0) + 1)
    expect(Date.parse(taken?.acquireTime ?? '')).toBeGreaterThanOrEqual(
      Date.parse(last?.renewTime ?? '') + shortTerm.leaseDurationMs - 1_000,
    )

    const requests = recordRequests(scenario)
    // Several probes and renewals of the new leader: time enough to do something, if it wanted to.
    await eventually(
      'the new leader has renewed ten times',
      () => requests.filter(one => one.includes('/leases/')).length >= 10,
      scenario.patience,
    )
    expect(writes(requests)).toEqual([])
    expect(scenario.chronicle(before)).toEqual([])
  })

  it('of which the leader gets SIGTERM: the lease is released, and the other leads before it expires', async ({
    begin,
  }) => {
    const scenario = await begin()
    const replicas = { a: scenario.replica('a'), b: scenario.replica('b') }
    await scenario.phase('eu-west', 'Ready')
    await settled(scenario)
    const leader = (await scenario.leader()) as 'a' | 'b'
    const before = scenario.happenings.length
    replicas[leader].kill('SIGTERM')
    expect(await replicas[leader].ended, replicas[leader].story()).toEqual({ code: 0, signal: null })
    await scenario.leader(holder => holder === other(leader))
    const holders = scenario.happenings
      .slice(before)
      .filter(({ what }) => what.startsWith('Lease'))
      .map(({ object }) => replicaName((object as Lease).spec?.holderIdentity))
    // Its own renewals, the return, and the other's claim: nobody had to wait for anything to run out.
    expect(holders.filter((holder, index) => holder !== holders[index - 1]).slice(-2)).toEqual([
      '',
      other(leader),
    ])
    expect(scenario.chronicle(before)).toEqual([])
  })
})

/** A defect that nothing handles, when the process gets SIGUSR2. */
const defects = {
  'an uncaught exception': "throw new Error('a defect')",
  'an unhandled rejection': "Promise.reject(new Error('a defect'))",
}

it.concurrent.for(Object.entries(defects))(
  'a leader that meets %s logs it, releases the lease and exits with 1; the other leads before the lease expires',
  async ([, defect], { begin }) => {
    const scenario = await begin()
    const meets = `data:text/javascript,${encodeURIComponent(`process.on('SIGUSR2', () => { ${defect} })`)}`
    const start = (identity: 'a' | 'b') =>
      scenario.replicaWith({ NODE_OPTIONS: `--import=${meets}` }, identity)
    const replicas = { a: start('a'), b: start('b') }
    await scenario.phase('eu-west', 'Ready')
    await settled(scenario)
    const leader = (await scenario.leader()) as 'a' | 'b'
    replicas[leader].kill('SIGUSR2')
    const ended = await replicas[leader].ended
    expect(ended, replicas[leader].story()).toEqual({ code: 1, signal: null })
    const errors = replicas[leader].log.filter(({ level }) => level === 'error')
    expect(errors).toMatchObject([
      { msg: 'an error that nothing handles: this process stops', err: { message: 'a defect' } },
    ])
    await scenario.leader(holder => holder === other(leader))
  },
)

it.concurrent('an idle fleet causes no write and no list, only watches and probes', async ({ begin }) => {
  const scenario = await begin({ members: 1 })
  scenario.replica('a')
  await scenario.phase('eu-west', 'Ready')
  // Twenty renewals, eight probes and eight times the pace of the figures: what is done periodically would show in each.
  const probe = `GET ${indexedCanaryPath('eu-west')}`
  await quiet(scenario, requests => requests.filter(one => one !== probe && !/\/leases|^WATCH/.test(one)), 20)
})

it.concurrent('a replica stops on SIGTERM in any state of its instances, and the next one continues each', async ({
  begin,
}) => {
  const scenario = await begin({ instances: 4 })
  const { host } = scenario
  const [ready, degraded, deleting, synced] = [...scenario.playground.karmadas.keys()] as [
    string,
    string,
    string,
    string,
  ]
  // It cannot be registered, so it stays in the state before.
  const letRegister = host.interrupt({
    kind: 'answer',
    matches: ({ method, path }) => method === 'PATCH' && path.endsWith(`/instanceregistrations/${synced}`),
    response: { code: 503, body: { text: 'not now', contentType: 'text/plain' } },
  })
  const replica = scenario.replica('a')
  for (const name of [ready, degraded, deleting]) await scenario.phase(name, 'Ready')
  await scenario.create(INSTANCES, {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'Instance',
    metadata: { name: 'registering' },
    spec: { kubeconfigSecretRef: { namespace: 'karmada-instances', name: 'missing' } },
  } as never)
  const reach = scenario.playground.karmadas.get(degraded)!.server.interrupt({ kind: 'refuseConnections' })
  await scenario.hold(PEDIA_CLUSTERS, `k-${deleting}`, true)
  await scenario.remove(INSTANCES, deleting)
  await scenario.phase('registering', 'Registering')
  await scenario.phase(synced, 'VirtualClusterSynced')
  await scenario.phase(degraded, 'Degraded')
  await scenario.phase(deleting, 'Deleting')

  replica.kill('SIGTERM')
  expect(await replica.ended, replica.story()).toEqual({ code: 0, signal: null })
  expect(await scenario.holder()).toBe('')
  expect(replica.log.filter(({ level }) => level === 'error')).toEqual([])

  const before = scenario.happenings.length
  scenario.replica('b')
  await scenario.leader(holder => holder === 'b')
  letRegister()
  reach()
  await scenario.hold(PEDIA_CLUSTERS, `k-${deleting}`, false)
  await scenario.remove(INSTANCES, 'registering')
  await scenario.gone(deleting)
  await scenario.gone('registering')
  for (const name of [ready, degraded, synced]) await scenario.phase(name, 'Ready')
  const made = scenario.chronicle(before).filter(line => line.startsWith('ADDED'))
  expect(made).toEqual([`ADDED InstanceRegistration ${synced}`])
})
