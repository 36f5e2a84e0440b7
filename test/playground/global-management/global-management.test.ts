import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  INSTANCE_REGISTRATIONS,
  type InstanceRegistration,
} from '../../../manifests/instance-registration.js'
import { INSTANCE_ROLE_BINDINGS, type InstanceRoleBinding } from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import type { ApiServer } from '../../../playground/apiserver/server.js'
import { ensure, read, remove, update } from '../../../playground/client/write.js'
import { startHost } from '../../../playground/fleet/host.js'
import { GlobalManagement, type Grant } from '../../../playground/global-management/global-management.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

const grants: readonly Grant[] = [
  { key: 'admin', role: 'Admin', subjects: [{ kind: 'User', name: 'ann' }] },
  { key: 'viewer', role: 'Viewer', subjects: [{ kind: 'Group', name: 'everyone' }] },
]
let host: ApiServer
let management: GlobalManagement
const start = () => new GlobalManagement({ host: host.local, log: silent, grants })

beforeEach(async () => {
  host = await startHost({ name: 'host' })
  management = start()
})
afterEach(async () => {
  await management.close()
  await host.close()
})

const registration: InstanceRegistration = {
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'InstanceRegistration',
  metadata: { name: 'eu' },
  spec: { resourceType: 'instance', resourceName: 'eu', displayName: 'Europe' },
}
const foreign: InstanceRoleBinding = {
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'InstanceRoleBinding',
  metadata: { name: 'by-hand' },
  spec: { instance: 'eu', role: 'Editor', subjects: [{ kind: 'User', name: 'bob' }] },
}
const bindings = async () => {
  const path = resourcePath(INSTANCE_ROLE_BINDINGS)
  const { items } = await host.local.request<{ items: InstanceRoleBinding[] }>({ method: 'GET', path })
  return items.map(({ metadata }) => metadata.name)
}

describe('Global Management', () => {
  it('accepts a registration and gives its users their roles', async () => {
    await ensure(host.local, INSTANCE_REGISTRATIONS, registration)
    await eventually('Registered', async () => {
      const found = await read<InstanceRegistration>(host.local, INSTANCE_REGISTRATIONS, { name: 'eu' })
      return found?.status?.conditions?.some(({ type, status }) => type === 'Registered' && status === 'True')
    })
    await eventually('the bindings', async () => (await bindings()).join() === 'eu-admin,eu-viewer')
  })

  it('creates each role binding of an instance once', async () => {
    const created: string[] = []
    await management.close()
    const recording: KubeApi = {
      ...host.local,
      request: request => {
        if (request.method === 'POST') created.push(request.path)
        return host.local.request(request)
      },
    }
    management = new GlobalManagement({ host: recording, log: silent, grants })
    await ensure(host.local, INSTANCE_REGISTRATIONS, registration)
    await eventually('the bindings', async () => (await bindings()).length === 2)
    // Each change of the registration is looked at again; the last of these after all before.
    for (const alias of ['one', 'two', 'three']) {
      await update<InstanceRegistration>(host.local, INSTANCE_REGISTRATIONS, { name: 'eu' }, before => ({
        ...before,
        spec: { ...before.spec, displayName: alias },
      }))
      await eventually('its generation to be accepted', async () => {
        const { metadata, status } =
          (await read<InstanceRegistration>(host.local, INSTANCE_REGISTRATIONS, { name: 'eu' })) ?? {}
        return status?.conditions?.[0]?.observedGeneration === metadata?.generation
      })
    }
    expect(created).toHaveLength(grants.length)
  })

  it('restores a role binding that was deleted', async () => {
    await ensure(host.local, INSTANCE_REGISTRATIONS, registration)
    await eventually('the bindings', async () => (await bindings()).length === 2)
    await remove(host.local, INSTANCE_ROLE_BINDINGS, { name: 'eu-admin' })
    await eventually('both again', async () => (await bindings()).length === 2)
  })

  it('removes its own role bindings, and no others, when an instance is unregistered', async () => {
    await ensure(host.local, INSTANCE_ROLE_BINDINGS, foreign)
    await ensure(host.local, INSTANCE_REGISTRATIONS, registration)
    await eventually('the bindings', async () => (await bindings()).length === 3)
    await remove(host.local, INSTANCE_REGISTRATIONS, { name: 'eu' })
    await eventually('its own to be gone', async () => (await bindings()).join() === 'by-hand')
  })

  it('removes role bindings after a restart when their instance was unregistered meanwhile', async () => {
    await ensure(host.local, INSTANCE_REGISTRATIONS, registration)
    await eventually('the bindings', async () => (await bindings()).length === 2)
    await management.close()
    await remove(host.local, INSTANCE_REGISTRATIONS, { name: 'eu' })
    expect(await bindings()).toHaveLength(2)
    management = start()
    await eventually('all to be gone', async () => (await bindings()).length === 0)
  })
})
