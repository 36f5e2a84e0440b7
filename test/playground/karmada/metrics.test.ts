import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import { ensure } from '../../../playground/client/write.js'
import { QUERY_SOURCE } from '../../../playground/karmada/autoscaling/metrics-adapter.js'
import { LOAD_ANNOTATION } from '../../../playground/member/metrics/load.js'
import { CLUSTER_ROLE_BINDINGS, DEPLOYMENTS } from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { eventually } from '../eventually.js'
import { deployment, PropagationWorld } from './propagation-world.js'

let world: PropagationWorld
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
  for (const name of ['m1', 'm2']) {
    const web = deployment('web', 2)
    const annotations = { [LOAD_ANNOTATION]: 'cpu=1' }
    const loaded = { ...web, metadata: { ...web.metadata, ...(name === 'm1' && { annotations }) } }
    await ensure(world.member(name), DEPLOYMENTS, loaded)
    await eventually('two pods that are measured', async () => (await pods(world.member(name))).length === 2)
  }
})
afterAll(() => world.close())

interface Metrics extends KubeObject {
  readonly usage?: Readonly<Record<string, string>>
  readonly containers?: readonly { readonly usage: Readonly<Record<string, string>> }[]
}
const METRICS = '/apis/metrics.k8s.io/v1beta1'
const list = async (api: KubeApi, path: string, query = {}) =>
  (await api.request<{ items: Metrics[] }>({ method: 'GET', path: `${METRICS}${path}`, query })).items
const pods = (api: KubeApi) => list(api, '/namespaces/default/pods', { labelSelector: 'app=web' })

describe('metrics of a member', () => {
  it('say what its pods use, and what its nodes use with them', async () => {
    const api = world.member('m1')
    await eventually('both pods to share the load', async () => {
      const usages = (await pods(api)).map(({ containers }) => containers?.[0]?.usage)
      return usages.every(usage => usage?.cpu === '501m' && usage.memory === '24Mi')
    })
    expect((await list(api, '/nodes')).map(({ usage }) => usage?.cpu)).toEqual(['551m', '551m'])
    expect(await list(api, '/pods', { labelSelector: 'app=other' })).toEqual([])
  })

  it('say of one pod what its list says, and of an unknown one that it is not found', async () => {
    const api = world.member('m2')
    const [first] = await pods(api)
    const path = `${METRICS}/namespaces/default/pods`
    const one = await api.request<Metrics>({ method: 'GET', path: `${path}/${first?.metadata.name}` })
    expect(one).toMatchObject({ kind: 'PodMetrics', metadata: { name: first?.metadata.name }, window: '10s' })
    const error = await api
      .request({ method: 'GET', path: `${path}/nobody` })
      .catch((failure: Error) => failure)
    expect(isNotFound(error)).toBe(true)
    expect((error as Error).message).toContain('pods "nobody" not found')
  })

  it('can be read by who may view, and not be written', async () => {
    const member = world.members.get('m1')
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'eve' }]
    await ensure(world.member('m1'), CLUSTER_ROLE_BINDINGS, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'eve' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects,
    } as KubeObject)
    const kubeconfig = (await member?.server.kubeconfig({ name: 'eve' })) ?? ''
    const api = await kubeConnector().connect(kubeconfig, { userAgent: 'test' })
    try {
      expect(await pods(api)).toHaveLength(2)
      const path = `${METRICS}/namespaces/default/pods`
      await expect(world.member('m1').request({ method: 'DELETE', path })).rejects.toMatchObject({
        code: 405,
      })
    } finally {
      await api.close()
    }
  })
})

describe('metrics of a control plane', () => {
  it('are those of all its members, with the name of each', async () => {
    const found = await pods(world.control)
    const sources = found.map(({ metadata }) => metadata.annotations?.[QUERY_SOURCE])
    expect(sources).toEqual(['m1', 'm1', 'm2', 'm2'])
    expect(await list(world.control, '/nodes')).toHaveLength(4)
  })

  it('leave out a member that does not answer', async () => {
    const back = world.members.get('m2')?.server.interrupt({ kind: 'refuseConnections' })
    try {
      const found = await pods(world.control)
      expect(new Set(found.map(({ metadata }) => metadata.annotations?.[QUERY_SOURCE]))).toEqual(
        new Set(['m1']),
      )
    } finally {
      back?.()
    }
  })
})
