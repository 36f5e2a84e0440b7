import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { resourcePath } from '../../../manifests/kube.js'
import { isForbidden } from '../../../manifests/status-error.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { InstanceService } from '../../../proto/gen/kairship/instance_pb.js'
import { eventually } from '../support/eventually.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(InstanceService)
const issue = (request: object) =>
  world.calls.overRest('createInstanceScopedKubeConfig', { instance: world.instance, ...request } as never)

/** What a kubeconfig may do: `allowed`, `refused`, or the error's text. */
async function tried(api: KubeApi, method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) {
  try {
    await api.request({ method, path, ...(body && { body }) })
    return 'allowed'
  } catch (error) {
    return isForbidden(error) ? 'refused' : String(error)
  }
}

async function withKubeconfig<T>(request: object, use: (api: KubeApi) => Promise<T>): Promise<T> {
  const { ok, json, text } = await issue(request)
  expect(ok, text).toBe(true)
  const api = await kubeConnector().connect(json.kubeConfigString)
  try {
    return await use(api)
  } finally {
    await api.close()
  }
}

const list = (type: Parameters<typeof resourcePath>[0], namespace?: string): string =>
  resourcePath(type, namespace === undefined ? {} : { namespace })

describe('a scoped kubeconfig', () => {
  it('reads what its role reads, in its namespaces alone', async () => {
    await withKubeconfig({ role: 'INSTANCE_ROLE_VIEWER', namespaces: ['default'] }, async api => {
      // The authorizer of a control plane observes new bindings by watches.
      await eventually('the role is in effect', async () =>
        expect(await tried(api, 'GET', list(TYPES.deployments, 'default'))).toBe('allowed'),
      )
      expect(await tried(api, 'GET', list(TYPES.policies, 'default'))).toBe('allowed')
      expect(await tried(api, 'GET', list(TYPES.secrets, 'default'))).toBe('refused')
      expect(await tried(api, 'GET', list(TYPES.deployments, 'kube-system'))).toBe('refused')
      expect(await tried(api, 'GET', list(TYPES.deployments))).toBe('refused')
      expect(await tried(api, 'GET', list(TYPES.clusters))).toBe('refused')
      expect(
        await tried(api, 'DELETE', resourcePath(TYPES.configMaps, { namespace: 'default', name: 'x' })),
      ).toBe('refused')
    })
  })

  it('without namespaces covers the whole instance, and no members', async () => {
    await withKubeconfig({ role: 'INSTANCE_ROLE_EDITOR' }, async api => {
      await eventually('the role is in effect', async () =>
        expect(await tried(api, 'GET', list(TYPES.deployments))).toBe('allowed'),
      )
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'by-an-editor' } }
      expect(await tried(api, 'POST', list(TYPES.configMaps, 'default'), object)).toBe('allowed')
      expect(await tried(api, 'GET', list(TYPES.clusters))).toBe('allowed')
      expect(await tried(api, 'GET', list(TYPES.secrets, 'default'))).toBe('refused')
      const roles = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'
      expect(await tried(api, 'GET', roles)).toBe('refused')
      const member = `${resourcePath(TYPES.clusters, { name: world.members[0]! })}/proxy/api/v1/pods`
      expect(await tried(api, 'GET', member)).toBe('refused')
    })
  })

  it('of an Editor has the Secrets of its namespaces, except reserved ones', async () => {
    const namespaces = ['default', 'kairship-system']
    await withKubeconfig({ role: 'INSTANCE_ROLE_EDITOR', namespaces }, async api => {
      await eventually('the role is in effect', async () =>
        expect(await tried(api, 'GET', list(TYPES.secrets, 'default'))).toBe('allowed'),
      )
      expect(await tried(api, 'GET', list(TYPES.configMaps, 'kairship-system'))).toBe('allowed')
      expect(await tried(api, 'GET', list(TYPES.secrets, 'kairship-system'))).toBe('refused')
    })
  })

  it.each(['kairship-system', 'karmada-cluster', 'kube-system', 'karmada-es-a'])(
    'of an Admin of %s is refused, because it would be one of the whole instance',
    async namespace => {
      const { json } = await issue({ role: 'INSTANCE_ROLE_ADMIN', namespaces: ['default', namespace] })
      expect([json.code, JSON.stringify(json.details)]).toEqual([3, expect.stringContaining(`namespaces[1]`)])
    },
  )

  it('has its first namespace as that of its context, and an expiry', async () => {
    const before = Date.now()
    const { json } = await issue({
      ...{ role: 'INSTANCE_ROLE_VIEWER', namespaces: ['kube-system', 'default'], expirationSeconds: 600 },
    })
    expect(parse(json.kubeConfigString).contexts[0].context.namespace).toBe('kube-system')
    const lifeMs = Date.parse(json.expirationTimestamp) - before
    expect(Math.round(lifeMs / 10_000)).toBe(60)
  })

  it('of a namespace that does not exist is refused with the control plane’s words', async () => {
    const { json } = await issue({ role: 'INSTANCE_ROLE_VIEWER', namespaces: ['nowhere'] })
    expect([json.code, json.message]).toEqual([5, expect.stringContaining('"nowhere" not found')])
  })

  it('is refused to a caller who may not have an administrator’s', async () => {
    const request = { instance: world.instance, role: 'INSTANCE_ROLE_VIEWER' } as never
    expect((await world.viewer.both('createInstanceScopedKubeConfig', request)).json.code).toBe(7)
  })
})
