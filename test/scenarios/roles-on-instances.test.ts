import { afterEach, describe, expect, it } from 'vitest'
import {
  INSTANCE_ROLE_BINDINGS,
  type InstanceRole,
  type Subject,
} from '../../manifests/instance-role-binding.js'
import { resourcePath } from '../../manifests/kube.js'
import { FleetService } from '../../proto/gen/kairship/fleet_pb.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { curl } from '../http/fakes/listening.js'
import { eventually } from './support/eventually.js'
import { ManagedWorld, TYPES } from './support/managed-world.js'

const world = new ManagedWorld(InstanceService)
const fleet = world.of(FleetService)
const given: string[] = []

/** Gives a role by a binding alone: its subject has no RBAC on the host. */
async function give(name: string, role: InstanceRole, subject: Subject, namespaces?: readonly string[]) {
  const spec = { instance: world.instance, role, subjects: [subject], ...(namespaces && { namespaces }) }
  await world.world.playground.host.local.request({
    ...{ method: 'POST', path: resourcePath(INSTANCE_ROLE_BINDINGS) },
    body: { apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name }, spec },
  })
  given.push(name)
}

const bindings = () => world.world.manager.fleet.roleBindings.of(world.instance)
const take = (name: string) =>
  world.remove(world.world.playground.host.local, INSTANCE_ROLE_BINDINGS, { name })

afterEach(async () => {
  for (const name of given.splice(0)) await take(name)
})

/** A request through the proxy, and its HTTP status. */
async function proxied(token: string, path: string, method = 'GET', body?: object): Promise<number> {
  const at = `/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy${path}`
  return (await curl(world.world.api, at, { token }, {}, method, body)).status
}

const user = async (name: string, groups: readonly string[] = []) => {
  const token = await world.world.playground.host.issueToken({ name, groups }, 3_600)
  return { token, calls: world.calls.as(token), fleet: fleet.calls.as(token) }
}
const deployments = (namespace: string) => resourcePath(TYPES.deployments, { namespace })

describe('a role that an InstanceRoleBinding gives', () => {
  it('is all that its subject needs to find the instance and to read it, on all doors', async () => {
    const { token, calls, fleet } = await user('vera', ['readers'])
    const nothing = await calls.read('listInstances', {})
    expect(nothing.items).toEqual([])
    expect(await proxied(token, deployments('default'))).toBe(403)

    await give('readers', 'Viewer', { kind: 'Group', name: 'readers' })
    await eventually('the instance is listed', async () =>
      expect((await calls.read('listInstances', {})).items).toHaveLength(1),
    )
    await eventually('the instance answers', async () =>
      expect(await proxied(token, deployments('default'))).toBe(200),
    )
    await calls.read('getInstance', { name: world.instance })
    const { places } = await fleet.read('listFleetObjects', {
      group: 'apps',
      version: 'v1',
      resource: 'deployments',
    })
    expect(places).toEqual([expect.objectContaining({ instance: world.instance, cluster: '' })])
    const kubeconfig = await calls.overRest('createInstanceAdminKubeConfig', { instance: world.instance })
    expect(kubeconfig.json.code).toBe(7)
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'by-vera' } }
    const configMaps = resourcePath(TYPES.configMaps, { namespace: 'default' })
    expect(await proxied(token, configMaps, 'POST', body)).toBe(403)
    calls.close()
    fleet.close()
  })

  it('on some namespaces writes there and nowhere else', async () => {
    const { token, calls, fleet } = await user('ned')
    await give('ned', 'Editor', { kind: 'User', name: 'ned' }, ['default'])
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'by-ned' } }
    const create = (namespace: string) =>
      proxied(token, resourcePath(TYPES.configMaps, { namespace }), 'POST', body)
    await eventually('the role is in effect', async () => expect(await create('default')).toBe(201))
    expect(await create('kube-system')).toBe(403)
    expect(await proxied(token, resourcePath(TYPES.configMaps))).toBe(403)
    const failover = await calls.overRest('getInstanceFailover', { instance: world.instance })
    expect(failover.json.code).toBe(7)
    calls.close()
    fleet.close()
  })

  it('is over for the next request when this replica has seen that the binding is removed', async () => {
    const { token, calls, fleet } = await user('rex')
    await give('rex', 'Admin', { kind: 'User', name: 'rex' })
    const kubeconfig = () => calls.overRest('createInstanceAdminKubeConfig', { instance: world.instance })
    await eventually('the role is in effect', async () => expect((await kubeconfig()).ok).toBe(true))
    await take('rex')
    given.pop()
    await eventually('the removal has come', () =>
      bindings().every(({ metadata }) => metadata.name !== 'rex'),
    )
    expect((await kubeconfig()).json.code).toBe(7)
    expect(await proxied(token, deployments('default'))).toBe(403)
    calls.close()
    fleet.close()
  })
})
