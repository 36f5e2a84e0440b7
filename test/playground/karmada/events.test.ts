import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { workName } from '../../../karmada/names.js'
import type { KubeList, KubeObject } from '../../../manifests/kube.js'
import { resourcePath } from '../../../manifests/kube.js'
import { ensure } from '../../../playground/client/write.js'
import { unjoin } from '../../../playground/karmada/join.js'
import { Events, normal } from '../../../playground/karmada/propagation/events.js'
import { CONFIG_MAPS, DEPLOYMENTS, EVENTS } from '../../../playground/objects/core-types.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'
import {
  deployment,
  duplicated,
  POLICIES,
  PropagationWorld,
  policyFor,
  policyType,
} from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1'])
})
afterAll(() => world.close())

interface Event extends KubeObject {
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid?: string }
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly source: { readonly component: string }
}
const eventsOf = async (kind: string, name: string): Promise<readonly Event[]> => {
  const path = resourcePath(EVENTS)
  const { items } = await world.control.request<KubeList<Event>>({ method: 'GET', path })
  return items.filter(({ involvedObject }) => involvedObject.kind === kind && involvedObject.name === name)
}
const said = (kind: string, name: string, reason: string, of = '') =>
  eventually(`${reason} of ${name}`, async () => {
    const found = await eventsOf(kind, name)
    return found.find(one => one.reason === reason && one.message.includes(of))
  })

describe('Events', () => {
  it('report Karmada’s actions for a template and its binding', async () => {
    await ensure(world.control, CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'settings' },
    })
    await ensure(
      world.control,
      POLICIES,
      policyFor('Deployment', 'web', duplicated('m1'), { propagateDeps: true }),
    )
    const volumes = [{ name: 'v', configMap: { name: 'settings' } }]
    await ensure(world.control, DEPLOYMENTS, deployment('web', 2, 'default', { volumes }))
    const told = async (kind: string, name: string, reason: string) => {
      const { message, type, source } = await said(kind, name, reason)
      return `${source.component} ${type}: ${message}`
    }
    const works = 'Sync work of ResourceBinding(default/web-deployment) successful.'
    const scheduled = 'Binding has been scheduled successfully. Result: {m1:2}'
    for (const [kind, name] of [
      ['Deployment', 'web'],
      ['ResourceBinding', 'web-deployment'],
    ] as const) {
      expect(await told(kind, name, 'ScheduleBindingSucceed')).toBe(`default-scheduler Normal: ${scheduled}`)
      expect(await told(kind, name, 'SyncWorkSucceed')).toBe(`binding-controller Normal: ${works}`)
    }
    expect(await told('Deployment', 'web', 'ApplyPolicySucceed')).toBe(
      'resource-detector Normal: Apply policy(default/p-web) succeed',
    )
    expect(await told('Deployment', 'web', 'SyncSucceed')).toBe(
      'execution-controller Normal: Successfully applied resource(default/web) to cluster m1',
    )
    expect(await told('Deployment', 'web', 'GetDependenciesSucceed')).toBe(
      'dependencies-distributor Normal: Get dependencies([{APIVersion:v1 Kind:ConfigMap Namespace:default Name:settings LabelSelector:<nil>}]) succeed.',
    )
    expect(await told('ResourceBinding', 'web-deployment', 'SyncScheduleResultToDependenciesSucceed')).toBe(
      'dependencies-distributor Normal: Sync schedule results to dependencies succeed.',
    )
    expect(await told('ResourceBinding', 'web-deployment', 'AggregateStatusSucceed')).toBe(
      'resource-binding-status-controller Normal: Update ResourceBinding(default/web-deployment) with AggregatedStatus successfully.',
    )
    expect(await told('Deployment', 'web', 'GetReplicasSucceed')).toBe(
      'resource-detector Normal: Get replicas of resource template successfully.',
    )
    const work = workName('Deployment', 'web', 'default')
    expect(await told('Work', work, 'WorkDispatching')).toBe(
      'execution-controller Normal: Work is being dispatched to member clusters.',
    )
    expect(await told('Work', work, 'ReflectStatusSucceed')).toBe(
      'work-status-controller Normal: Reflect status for object(Deployment/default/web) succeed.',
    )
    await said('Work', work, 'InterpretHealthSucceed', 'object(Deployment/default/web) as healthy.')
    expect(await eventsOf('Work', workName('ConfigMap', 'settings', 'default'))).not.toContainEqual(
      expect.objectContaining({ reason: 'InterpretHealthSucceed' }),
    )
    const [, template] = await Promise.all([
      said('Deployment', 'web', 'AggregateStatusSucceed'),
      world.template('web'),
    ])
    const { involvedObject } = await said('Deployment', 'web', 'ScheduleBindingSucceed')
    expect(involvedObject.uid).toBe(template?.metadata.uid)
  })

  it('name each override policy that changed a template, once for each cluster', async () => {
    const spec = (value: string) => ({
      resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'changed' }],
      overrideRules: [{ overriders: { labelsOverrider: [{ operator: 'add', value: { [value]: 'yes' } }] } }],
    })
    const policy = (kind: string, metadata: KubeObject['metadata']) => ({
      ...{ apiVersion: 'policy.karmada.io/v1alpha1', kind, metadata, spec: spec(metadata.name) },
    })
    await ensure(
      world.control,
      policyType('overridepolicies'),
      policy('OverridePolicy', { namespace: 'default', name: 'near' }),
    )
    await ensure(
      world.control,
      policyType('clusteroverridepolicies'),
      policy('ClusterOverridePolicy', { name: 'far' }),
    )
    await ensure(world.control, POLICIES, policyFor('Deployment', 'changed', duplicated('m1')))
    await ensure(world.control, DEPLOYMENTS, deployment('changed', 1))
    await said('Deployment', 'changed', 'AggregateStatusSucceed')
    const reason = 'ApplyOverridePolicySucceed'
    await said('Deployment', 'changed', reason, 'default/near')
    const found = (await eventsOf('Deployment', 'changed')).filter(one => one.reason === reason)
    expect(found.map(({ message, source }) => `${source.component}: ${message}`).sort()).toEqual([
      'override-manager: Apply cluster override policy(far) for cluster(m1) succeed.',
      'override-manager: Apply override policy(default/near) for cluster(m1) succeed.',
    ])
  })

  it('report why no cluster fits, and why a member refuses', async () => {
    await ensure(world.control, POLICIES, policyFor('Deployment', 'lost', duplicated('nowhere')))
    await ensure(world.control, DEPLOYMENTS, deployment('lost', 1))
    const { type, message } = await said('Deployment', 'lost', 'ScheduleBindingFailed')
    expect(type).toBe('Warning')
    expect(message).toContain('0/1 clusters are available')
    await ensure(world.member('m1'), DEPLOYMENTS, deployment('old', 1))
    await ensure(world.control, POLICIES, policyFor('Deployment', 'old', duplicated('m1')))
    await ensure(world.control, DEPLOYMENTS, deployment('old', 1))
    await said('Deployment', 'old', 'SyncFailed', 'already exists in the cluster m1')
  })

  it('are counted, and are dropped when one object has too many', async () => {
    const events = new Events(world.control, () => 1_000, silent)
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace: 'default', name: 'loud', uid: 'x' },
    }
    for (let at = 0; at < 40; at++) events.tell(object, 'somebody', normal('Again', 'and again'))
    await eventually('25 of them', async () => (await eventsOf('ConfigMap', 'loud'))[0]?.count === 25)
    events.tell(object, 'somebody', normal('Other', 'is refused, too'))
    events.tell(object, 'another', normal('Other', 'has a voice of its own'))
    await eventually('the other voice', async () =>
      (await eventsOf('ConfigMap', 'loud')).some(({ source }) => source.component === 'another'),
    )
    expect(await eventsOf('ConfigMap', 'loud')).toHaveLength(2)
    await events.close()
  })
})

describe('Events of a Cluster', () => {
  it('report its execution space, and who may be impersonated in it, until it has left', async () => {
    const told = async (reason: string) => {
      const { message, source } = await said('Cluster', 'm1', reason)
      return `${source.component}: ${message}`
    }
    expect(await told('CreateExecutionSpaceSucceed')).toBe(
      'cluster-controller: Created execution space(karmada-es-m1) for cluster(m1).',
    )
    expect(await told('SyncImpersonationConfigSucceed')).toBe(
      'unified-auth-controller: Sync impersonation config succeed.',
    )
    await unjoin({ control: world.control, member: world.member('m1'), name: 'm1' })
    expect(await told('RemoveExecutionSpaceSucceed')).toBe(
      'cluster-controller: Removed execution space for cluster(m1).',
    )
  })
})
