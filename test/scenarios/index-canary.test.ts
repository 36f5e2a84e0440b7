import { describe, expect } from 'vitest'
import { CONFIG_MAPS, INDEX_CANARY } from '../../manifests/index-canary.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { type KubeList, type KubeObject, resourcePath } from '../../manifests/kube.js'
import { isNotFound } from '../../manifests/status-error.js'
import { eventually } from './support/eventually.js'
import type { KairshipProcess } from './support/kairship-process.js'
import { type Scenario, shortTerm } from './support/scenario.js'
import { it } from './support/scenario-test.js'

const name = 'eu-west'
const path = resourcePath(CONFIG_MAPS, INDEX_CANARY)
/** Often, so that nobody waits, and with a patience that a busy machine does not use up. */
const measuring = ['--index-canary-interval-ms', '400', '--index-canary-patience-ms', '4000']

const inside = (scenario: Scenario) => scenario.playground.karmadas.get(name)!.server.local

/** The canary in the control plane, or undefined. */
async function canary(scenario: Scenario): Promise<KubeObject | undefined> {
  try {
    return await inside(scenario).request<KubeObject>({ method: 'GET', path })
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
const canaryOtherThan = (scenario: Scenario, uid?: string) =>
  eventually(
    'a canary is in the control plane',
    async () => {
      const found = await canary(scenario)
      return found && found.metadata.uid !== uid ? found : undefined
    },
    scenario.patience,
  )
const beats = (scenario: Scenario, from: KubeObject, count = 3) => {
  const seen = new Set([from.metadata.resourceVersion])
  return eventually(
    `${count} more beats`,
    async () => seen.add((await canary(scenario))?.metadata.resourceVersion).size > count,
    scenario.patience,
  )
}
const conditionOf = ({ status }: Instance, type: string) =>
  status?.conditions?.find(condition => condition.type === type)
/** States that the instance went through on the host since, without repetition. */
const phases = (scenario: Scenario, since: number): string[] => {
  const all = scenario.happenings
    .slice(since)
    .filter(({ what }) => what === `Instance ${name}`)
    .map(({ object }) => (object as Instance).status?.phase ?? '')
  return all.filter((phase, index) => phase !== all[index - 1])
}
const metric = async (replica: KairshipProcess, line: RegExp): Promise<number> => {
  const { url } = await replica.said('health and metrics are listening')
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(line.exec(text)?.[1] ?? 0)
}

describe.concurrent('an index that is stalled while it claims health', () => {
  it('takes its instance out of service once, with the cause, and puts it back when it recovers', async ({
    begin,
  }) => {
    const scenario = await begin()
    scenario.replica('a', ...measuring)
    await scenario.phase(name, 'Ready')
    const before = scenario.happenings.length
    const move = scenario.playground.containerManagement.interrupt({
      kind: 'stall',
      cluster: `k-${name}`,
    })
    const degraded = await scenario.phase(name, 'Degraded')
    expect(conditionOf(degraded, 'VirtualClusterSynced')).toMatchObject({
      status: 'False',
      reason: 'Stalled',
      message: expect.stringContaining('does not show in the index'),
    })
    expect(conditionOf(degraded, 'Ready')).toMatchObject({ status: 'False', reason: 'Stalled' })
    expect(conditionOf(degraded, 'ControlPlaneHealthy')).toMatchObject({ status: 'True' })
    move()
    await scenario.phase(name, 'Ready')
    await beats(scenario, await canaryOtherThan(scenario))
    await eventually('the chronicle has caught up', () => phases(scenario, before).at(-1) === 'Ready')
    expect(phases(scenario, before).filter(phase => phase !== 'Ready')).toEqual(['Degraded'])
  })

  it('reports an unreachable read API as the cause', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a', ...measuring)
    await scenario.phase(name, 'Ready')
    await scenario.playground.containerManagement.setReadApiAvailable(false)
    const degraded = await scenario.phase(name, 'Degraded')
    expect(conditionOf(degraded, 'VirtualClusterSynced')).toMatchObject({
      reason: 'Stalled',
      message: expect.stringContaining('the index cannot be read'),
    })
    await scenario.playground.containerManagement.setReadApiAvailable(true)
    await scenario.phase(name, 'Ready')
  })
})

describe.concurrent('the canary', () => {
  it('is created again after it is deleted', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a', ...measuring)
    const first = await canaryOtherThan(scenario)
    await inside(scenario).request({ method: 'DELETE', path })
    await canaryOtherThan(scenario, first.metadata.uid)
    await scenario.phase(name, 'Ready')
  })

  it('is excluded from the counted ConfigMaps', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a', ...measuring)
    await beats(scenario, await canaryOtherThan(scenario))
    const all = resourcePath(CONFIG_MAPS)
    const { items } = await inside(scenario).request<KubeList<KubeObject>>({ method: 'GET', path: all })
    await eventually(
      'all others are counted',
      async () => {
        const { status } = await scenario.phase(name, 'Ready')
        return status?.summary?.resourceTotalNum.configmaps === items.length - 1
      },
      scenario.patience,
    )
  })

  it('is deleted with its instance', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a', ...measuring)
    await scenario.phase(name, 'Ready')
    await canaryOtherThan(scenario)
    await scenario.remove(INSTANCES, name)
    await scenario.gone(name)
    expect(await canary(scenario)).toBeUndefined()
  })

  it('does not block a deletion when its control plane is unreachable', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a', ...measuring)
    await scenario.phase(name, 'Ready')
    await canaryOtherThan(scenario)
    await scenario.playground.karmadas.get(name)!.server.close()
    await scenario.remove(INSTANCES, name)
    await scenario.gone(name)
  })

  it('is written by the next leader when the leader is killed, and read by followers', async ({ begin }) => {
    const scenario = await begin({ term: shortTerm })
    const replicas = { a: scenario.replica('a', ...measuring), b: scenario.replica('b', ...measuring) }
    await scenario.phase(name, 'Ready')
    const leader = (await scenario.leader()) as 'a' | 'b'
    const follower = leader === 'a' ? 'b' : 'a'
    const lags = /^kairship_index_lag_seconds_count (\d+)/m
    const writes =
      /^kairship_kube_requests_total\{target="instance",verb="PATCH",code="200",purpose="canary"\} (\d+)/m
    await eventually(
      'the follower has measured',
      async () => (await metric(replicas[follower], lags)) >= 3,
      scenario.patience,
    )
    expect(await metric(replicas[follower], writes)).toBe(0)
    expect(await metric(replicas[leader], writes)).toBeGreaterThan(0)
    const before = scenario.happenings.length
    replicas[leader].kill('SIGKILL')
    await scenario.leader(holder => holder === follower)
    await beats(scenario, await canaryOtherThan(scenario))
    expect(await metric(replicas[follower], writes)).toBeGreaterThan(0)
    expect(phases(scenario, before).filter(phase => phase !== 'Ready')).toEqual([])
  })

  it('is neither written nor awaited when it is switched off', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a', '--index-canary-interval-ms', '0')
    await scenario.phase(name, 'Ready')
    expect(await canary(scenario)).toBeUndefined()
  })

  it('is not written where ConfigMaps are not indexed, and the condition reports an unmeasured index', async ({
    begin,
  }) => {
    const scenario = await begin()
    await scenario.host.local.request({
      method: 'PATCH',
      path: resourcePath(INSTANCES, { name }),
      contentType: 'application/merge-patch+json',
      body: { spec: { index: { resources: [{ group: 'apps', resources: ['deployments'] }] } } },
    })
    scenario.replica('a', ...measuring)
    await eventually(
      'the condition says so',
      async () => {
        const instance = await scenario.phase(name, 'Ready')
        return conditionOf(instance, 'VirtualClusterSynced')?.message.includes('ConfigMaps are not indexed')
      },
      scenario.patience,
    )
    expect(await canary(scenario)).toBeUndefined()
  })
})
