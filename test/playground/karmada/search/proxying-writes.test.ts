import { once } from 'node:events'
import { KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { kubeConnector } from '../../../../actors/kube/connector.js'
import { CACHED_FROM } from '../../../../karmada/objects/resource-registry.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { ensure, read } from '../../../../playground/client/write.js'
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  DEPLOYMENTS,
} from '../../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../../ports/kube-api.js'
import { eventually } from '../../eventually.js'
import { deployment, PropagationWorld } from '../propagation-world.js'
import { configMap, GROUP, get, PROXY, refusal, register, registry } from './search-world.js'

const MAPS = `${PROXY}/api/v1/namespaces/default/configmaps`
let world: PropagationWorld
/** The administrator of the control plane, over TLS. */
let admin: KubeApi
beforeAll(async () => {
  world = await PropagationWorld.start(['m1', 'm2'])
  await ensure(world.member('m1'), CONFIG_MAPS, configMap('one'))
  await ensure(world.member('m2'), CONFIG_MAPS, configMap('two'))
  for (const name of ['m1', 'm2']) await ensure(world.member(name), CONFIG_MAPS, configMap('both'))
  await ensure(world.member('m2'), DEPLOYMENTS, deployment('web', 1))
  await register(world.control, registry('r', ['m1', 'm2'], ['ConfigMap', 'Pod']))
  admin = await as('system:admin', ['system:masters'])
  await eventually('the members to know the administrator, and the caches to be complete', async () => {
    await send('PATCH', `${MAPS}/one`, { data: { ready: 'yes' } })
    const { items } = await get(admin, `${PROXY}/api/v1/pods`, {
      resourceVersion: '0',
      labelSelector: 'app=web',
    })
    return items.length === 1
  })
})
afterAll(async () => {
  await admin.close()
  await world.close()
})

const as = async (name: string, groups: readonly string[] = []) =>
  kubeConnector().connect(await world.karmada.server.kubeconfig({ name, groups }))
const send = (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown) =>
  admin.request<KubeObject & { data?: object }>({
    method,
    path,
    ...(body !== undefined && { body }),
    ...(method === 'PATCH' && { contentType: 'application/merge-patch+json' as const }),
  })
const inMember = (cluster: string, name: string) =>
  read<KubeObject & { data?: object }>(world.member(cluster), CONFIG_MAPS, { namespace: 'default', name })

describe('a write through the proxy of karmada-search', () => {
  it('goes to the member that has the object', async () => {
    await send('PATCH', `${MAPS}/two`, { data: { patched: 'yes' } })
    expect((await inMember('m2', 'two'))?.data).toEqual({ patched: 'yes' })
    expect(await inMember('m1', 'two')).toBeUndefined()
  })

  it('takes back an object that was read there: with its member’s version, without the annotation', async () => {
    const map = await get<KubeObject>(admin, `${MAPS}/one`)
    expect(map.metadata.annotations).toEqual({ [CACHED_FROM]: 'm1' })
    await send('PUT', `${MAPS}/one`, { ...map, data: { replaced: 'yes' } })
    const stored = await inMember('m1', 'one')
    expect(stored?.data).toEqual({ replaced: 'yes' })
    expect(stored?.metadata.annotations ?? {}).toEqual({})
    const late = await refusal(send('PUT', `${MAPS}/one`, { ...map, data: { late: 'yes' } }))
    expect(late.reason).toBe('Conflict')
  })

  it('deletes where the object is', async () => {
    await ensure(world.member('m2'), CONFIG_MAPS, configMap('doomed'))
    await eventually('the object to be cached, and deleted', () => send('DELETE', `${MAPS}/doomed`))
    await eventually('the object to be gone', async () => !(await inMember('m2', 'doomed')))
  })

  it('is refused where several members have the object, and where none has it', async () => {
    const several = await refusal(send('PATCH', `${MAPS}/both`, { data: {} }))
    expect([several.code, several.message]).toEqual([
      409,
      expect.stringContaining('ambiguous objects in clusters [m1, m2]'),
    ])
    expect((await refusal(send('PATCH', `${MAPS}/nobody`, { data: {} }))).reason).toBe('NotFound')
  })

  it('cannot create an object of a cached type, nor delete many', async () => {
    const created = await refusal(send('POST', MAPS, configMap('new')))
    expect([created.code, created.message]).toEqual([
      405,
      'create is not supported on resources of kind "configmaps"',
    ])
    const deleted = await refusal(send('DELETE', MAPS))
    expect([deleted.code, deleted.message]).toEqual([
      500,
      'fail to get default  from m1: Name parameter required.',
    ])
  })

  it('is made in the member as its caller', async () => {
    const apiGroup = 'rbac.authorization.k8s.io'
    const metadata = { name: 'searcher' }
    const rule = { apiGroups: ['search.karmada.io'], resources: ['proxying/proxy'], verbs: ['*'] }
    const role = { apiVersion: `${apiGroup}/v1`, kind: 'ClusterRole', metadata, rules: [rule] } as KubeObject
    await ensure(world.control, CLUSTER_ROLES, role)
    await ensure(world.control, CLUSTER_ROLE_BINDINGS, {
      apiVersion: `${apiGroup}/v1`,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup, kind: 'ClusterRole', name: 'searcher' },
      subjects: [{ kind: 'User', apiGroup, name: 'ann' }],
    } as KubeObject)
    const ann = await as('ann')
    try {
      // What is cached can be read by who may use the proxy, with karmada-search's own rights in the members.
      expect((await get<KubeObject>(ann, `${MAPS}/two`)).metadata.name).toBe('two')
      const change = () =>
        ann.request({
          method: 'PATCH',
          path: `${MAPS}/two`,
          contentType: 'application/merge-patch+json',
          body: { data: {} },
        })
      const error = await eventually('the member to know ann', async () => {
        const refused = await refusal(change())
        return refused.message.includes('User "ann" cannot patch resource "configmaps"') && refused
      })
      expect(error.reason).toBe('Forbidden')
    } finally {
      await ann.close()
    }
  })

  it('needs the right to use the proxy', async () => {
    const eve = await as('eve')
    const error = await refusal(get(eve, `${MAPS}/two`))
    expect(error.message).toContain('cannot get resource "proxying/proxy" in API group "search.karmada.io"')
    await eve.close()
  })
})

describe('pods through the proxy of karmada-search', () => {
  const pod = async () => {
    const { items } = await get(admin, `${PROXY}/api/v1/pods`, { labelSelector: 'app=web' })
    return `${PROXY}/api/v1/namespaces/default/pods/${items[0]?.metadata.name}`
  }

  it('have their logs from the member that runs them', async () => {
    const path = await pod()
    await eventually('the container to run', async () => {
      const { status } = await get<{ status?: { phase?: string } }>(admin, path)
      return status?.phase === 'Running'
    })
    expect(typeof (await admin.request({ method: 'GET', path: `${path}/log` }))).toBe('string')
    const error = await refusal(get(admin, `${PROXY}/api/v1/namespaces/default/pods/nobody/log`))
    expect(error.message).toBe('pods "nobody" not found')
  })

  it('run commands in the member that runs them', async () => {
    const config = new KubeConfig()
    config.loadFromString(
      await world.karmada.server.kubeconfig({ name: 'system:admin', groups: ['system:masters'] }),
    )
    const options = {}
    await config.applyToHTTPSOptions(options)
    const query = 'command=echo&command=hello&stdout=true&container=web'
    const url = `${world.karmada.server.url.replace('https', 'wss')}${await pod()}/exec?${query}`
    const socket = new WebSocket(url, ['v5.channel.k8s.io'], options)
    const heard: string[] = []
    socket.on('message', data => heard.push(String(data)))
    await once(socket, 'close')
    expect(heard.join('')).toContain('hello')
  })
})

describe('what karmada-search caches nothing of', () => {
  it('is the control plane’s own: discovery, its objects, and writes to them', async () => {
    expect(await get(admin, `${PROXY}/api`)).toMatchObject({ kind: 'APIVersions' })
    expect(await get(admin, `${PROXY}/apis/apps/v1`)).toMatchObject({ groupVersion: 'apps/v1' })
    const list = await get(admin, `${PROXY}/apis/cluster.karmada.io/v1alpha1/clusters`)
    expect(list.items.map(({ metadata }) => metadata.name)).toEqual(['m1', 'm2'])
    await send('POST', `${PROXY}/api/v1/namespaces`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'through' },
    })
    expect(await get(world.control, '/api/v1/namespaces/through')).toMatchObject({ kind: 'Namespace' })
  })

  it('is watched in the control plane', async () => {
    const abort = new AbortController()
    const path = `${PROXY}/apis/cluster.karmada.io/v1alpha1/clusters`
    for await (const { type } of admin.watch({ path, signal: abort.signal })) {
      expect(type).toBe('ADDED')
      break
    }
    abort.abort()
  })
})

describe('paths of karmada-search that lead nowhere', () => {
  it.each([
    [`${GROUP}/proxying`, 404, '404 page not found'],
    [
      `${GROUP}/proxying/karmada`,
      500,
      'This request caused apiserver to panic. Look in the logs for details.',
    ],
    [`${GROUP}/searching/cache`, 404, '404 page not found'],
  ])('%s', async (path, code, message) => {
    const error = await refusal(get(admin, path))
    expect([error.code, error.message.trim()]).toEqual([code, message])
  })
})
