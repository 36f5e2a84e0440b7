import { describe, expect } from 'vitest'
import { INSTANCES } from '../../manifests/instance.js'
import { PEDIA_CLUSTERS } from '../../manifests/pedia-cluster.js'
import { eventually } from './support/eventually.js'
import { type Scenario, shortTerm } from './support/scenario.js'
import { it } from './support/scenario-test.js'

const name = 'eu-west'

/** What was taken away since, in the order in which the host did it. */
const taken = (scenario: Scenario, since: number): string[] =>
  scenario.chronicle(since).filter(line => line.startsWith('DELETED'))
const inOrder = [
  `DELETED InstanceRegistration ${name}`,
  `DELETED PediaCluster k-${name}`,
  `DELETED Instance ${name}`,
]

describe.concurrent('the deletion of an Instance', () => {
  it('removes everything in the stated order, the CR last', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a')
    await scenario.phase(name, 'Ready')
    const before = scenario.happenings.length
    await scenario.remove(INSTANCES, name)
    await scenario.gone(name)
    await eventually('the chronicle has caught up', () => taken(scenario, before).length === 3)
    expect(taken(scenario, before)).toEqual(inOrder)
  })

  it('succeeds for an instance that was never reached', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a')
    await scenario.create(INSTANCES, {
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'Instance',
      metadata: { name: 'never' },
      spec: { kubeconfigSecretRef: { namespace: 'karmada-instances', name: 'missing' } },
    } as never)
    await scenario.phase('never', 'Registering')
    await scenario.remove(INSTANCES, 'never')
    await scenario.gone('never')
  })

  it('waits for objects that stay, and names them', async ({ begin }) => {
    const scenario = await begin()
    scenario.replica('a')
    await scenario.phase(name, 'Ready')
    await scenario.hold(PEDIA_CLUSTERS, `k-${name}`, true)
    await scenario.remove(INSTANCES, name)
    const instance = await scenario.phase(name, 'Deleting')
    expect(instance.metadata.finalizers).toContain('kairship.io/instance-controller')
    await scenario.hold(PEDIA_CLUSTERS, `k-${name}`, false)
    await scenario.gone(name)
  })
})

/** Where the leader is killed: when this is first seen on the host after the deletion was requested. */
const moments: [when: string, line: string][] = [
  ['as soon as the deletion is requested', `MODIFIED Instance ${name}`],
  ['when the registration is gone', `DELETED InstanceRegistration ${name}`],
  ['when the virtual cluster is going', `MODIFIED PediaCluster k-${name}`],
  ['when the virtual cluster is gone', `DELETED PediaCluster k-${name}`],
]
describe.concurrent('when the leader is killed during a deletion, the other replica completes it', () => {
  for (const [when, line] of moments)
    it(when, async ({ begin }) => {
      const scenario = await begin({ term: shortTerm })
      const replicas = { a: scenario.replica('a'), b: scenario.replica('b') }
      await scenario.phase(name, 'Ready')
      const leader = (await scenario.leader()) as 'a' | 'b'
      const before = scenario.happenings.length
      await scenario.remove(INSTANCES, name)
      await eventually(line, () => scenario.chronicle(before).includes(line), scenario.patience)
      replicas[leader].kill('SIGKILL')
      expect((await replicas[leader].ended).signal).toBe('SIGKILL')

      await scenario.gone(name)
      await eventually('the chronicle has caught up', () => taken(scenario, before).length === 3)
      expect(taken(scenario, before)).toEqual(inOrder)
      expect(scenario.chronicle(before).filter(one => one.startsWith('ADDED'))).toEqual([])
    })
})
