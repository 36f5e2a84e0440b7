import { once } from 'node:events'
import { type RequestOptions, request } from 'node:https'
import { json } from 'node:stream/consumers'
import { KubeConfig } from '@kubernetes/client-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { CLUSTERS, type Cluster } from '../../../karmada/objects/cluster.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { resourcePath } from '../../../manifests/kube.js'
import { StatusError } from '../../../manifests/status-error.js'
import { ensure, read, update } from '../../../playground/client/write.js'
import { type Karmada, startKarmada } from '../../../playground/karmada/control-plane.js'
import { join } from '../../../playground/karmada/join.js'
import { impersonationRules } from '../../../playground/karmada/unified-auth.js'
import { type Member, startMember } from '../../../playground/member/member.js'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, NAMESPACES } from '../../../playground/objects/core-types.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { silent } from '../../silent.js'
import { eventually } from '../eventually.js'

let karmada: Karmada
let member: Member
let ann: KubeApi
const apiGroup = 'rbac.authorization.k8s.io'
const rbac = (kind: string, name: string, rest: object): KubeObject =>
  ({ apiVersion: `${apiGroup}/v1`, kind, metadata: { name }, ...rest }) as KubeObject
const role = (name: string, ...rules: readonly object[]) => rbac('ClusterRole', name, { rules })
const binding = (name: string, ...subjects: readonly object[]) =>
  rbac('ClusterRoleBinding', name, { roleRef: { apiGroup, kind: 'ClusterRole', name }, subjects })
const user = (name: string) => ({ kind: 'User', apiGroup, name })
const proxied = (path: string, method: 'GET' | 'POST' | 'DELETE' = 'GET', body?: unknown) =>
  ann.request<KubeObject & { items?: KubeObject[] }>({
    method,
    path: `/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy${path}`,
    ...(body !== undefined && { body }),
  })
const refused = async (work: Promise<unknown>): Promise<StatusError> => {
  const error = await work.then(
    () => undefined,
    caught => caught,
  )
  expect(error).toBeInstanceOf(StatusError)
  return error
}

beforeAll(async () => {
  karmada = await startKarmada({ name: 'k', connector: kubeConnector(), log: silent })
  member = await startMember({ name: 'm', log: silent })
  await join({
    control: karmada.server.local,
    member: member.server.local,
    name: 'm',
    apiEndpoint: member.server.url,
  })
  ann = await kubeConnector().connect(await karmada.server.kubeconfig({ name: 'ann', groups: ['team'] }))
})
afterAll(async () => {
  await ann.close()
  await karmada.close()
  await member.close()
})

describe('the cluster proxy', () => {
  it('needs the right in Karmada, then the right to be impersonated in the member, then the caller’s own rights', async () => {
    const control = karmada.server.local
    expect((await refused(proxied('/api/v1/namespaces'))).message).toContain(
      'cannot get resource "clusters/proxy"',
    )
    const proxyRule = { apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['*'] }
    await ensure(control, CLUSTER_ROLES, role('proxy', proxyRule))
    await ensure(control, CLUSTER_ROLE_BINDINGS, binding('proxy', user('ann')))
    await eventually('the group to be what is missing', async () =>
      (await refused(proxied('/api/v1/namespaces'))).message.includes('cannot impersonate resource "groups"'),
    )
    await ensure(control, CLUSTER_ROLE_BINDINGS, {
      ...binding('proxy', { kind: 'Group', apiGroup, name: 'team' }),
      metadata: { name: 'proxy-team' },
    } as KubeObject)
    await eventually('ann to be let through', async () =>
      (await refused(proxied('/api/v1/namespaces'))).message.includes(
        'User "ann" cannot list resource "namespaces"',
      ),
    )
    const everything = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }
    await ensure(member.server.local, CLUSTER_ROLES, role('all', everything))
    await ensure(member.server.local, CLUSTER_ROLE_BINDINGS, binding('all', user('ann')))
    const { items = [] } = await proxied('/api/v1/namespaces?limit=500')
    expect(items.map(({ metadata }) => metadata.name)).toContain('kube-system')
  })

  it('lets the administrator of the control plane through to every member', async () => {
    const name = 'system:admin'
    const admin = await kubeConnector().connect(
      await karmada.server.kubeconfig({ name, groups: ['system:masters'] }),
    )
    const path = '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/namespaces'
    const found = await eventually('the member to know of the administrator', () =>
      admin.request<{ kind: string }>({ method: 'GET', path }).catch(() => undefined),
    )
    expect(found.kind).toBe('NamespaceList')
    await admin.close()
  })

  it('forwards writes, their bodies and their errors', async () => {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'through' } }
    await expect(proxied('/api/v1/namespaces', 'POST', namespace)).resolves.toMatchObject({
      kind: 'Namespace',
    })
    const path = resourcePath(NAMESPACES, { name: 'through' })
    await expect(member.server.local.request({ method: 'GET', path })).resolves.toBeDefined()
    expect((await refused(proxied('/api/v1/namespaces', 'POST', namespace))).reason).toBe('AlreadyExists')
  })

  it('forwards a watch, event by event, and ends it upstream when the caller disconnects', async () => {
    const stop = new AbortController()
    const path = '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/namespaces'
    for await (const { type } of ann.watch({ path, signal: stop.signal })) {
      expect(type).toBe('ADDED')
      stop.abort()
      break
    }
  })

  it('returns the reason why a member does not upgrade the protocol', async () => {
    const config = new KubeConfig()
    config.loadFromString(await karmada.server.kubeconfig({ name: 'ann', groups: ['team'] }))
    const options: RequestOptions = { headers: { connection: 'Upgrade', upgrade: 'websocket' } }
    await config.applyToHTTPSOptions(options)
    const path =
      '/apis/cluster.karmada.io/v1alpha1/clusters/m/proxy/api/v1/namespaces/default/pods/nobody/exec'
    const [answer] = await once(request(karmada.server.url + path, options).end(), 'response')
    expect([answer.statusCode, answer.headers['content-type']]).toEqual([404, 'application/json'])
    expect(await json(answer)).toMatchObject({ kind: 'Status', reason: 'NotFound' })
  })

  it('reports a missing cluster, and a member that does not answer', async () => {
    const path = '/apis/cluster.karmada.io/v1alpha1/clusters/nope/proxy/version'
    expect((await refused(ann.request({ method: 'GET', path }))).reason).toBe('NotFound')
    const restore = member.server.interrupt({ kind: 'refuseConnections' })
    const error = await refused(proxied('/version'))
    restore()
    expect([error.code, error.reason]).toEqual([500, ''])
    expect(error.message).toContain('error trying to reach service')
  })

  it('reports a cluster that was joined without an impersonator', async () => {
    await karmada.server.local.request({
      method: 'POST',
      path: resourcePath(CLUSTERS),
      body: {
        apiVersion: 'cluster.karmada.io/v1alpha1',
        kind: 'Cluster',
        metadata: { name: 'pull' },
        spec: { syncMode: 'Pull', apiEndpoint: 'https://127.0.0.1:1' },
      },
    })
    const path = '/apis/cluster.karmada.io/v1alpha1/clusters/pull/proxy/version'
    const error = await refused(ann.request({ method: 'GET', path }))
    expect(error.message).toBe('the impersonatorSecretRef of cluster pull is nil')
  })
})

describe('the account that impersonates in a member', () => {
  it('has its rights in the namespace that the Cluster names, also when that changes', async () => {
    const reference = async (namespace: string) => {
      await update<Cluster>(karmada.server.local, CLUSTERS, { name: 'm' }, ({ spec, ...cluster }) => ({
        ...cluster,
        spec: { ...spec, impersonatorSecretRef: { namespace, name: 'm-impersonator' } },
      }))
      await eventually('the account of that namespace to have the rights', async () => {
        const name = 'karmada-impersonator'
        const bound = await read<KubeObject & { subjects?: { namespace?: string }[] }>(
          member.server.local,
          CLUSTER_ROLE_BINDINGS,
          { name },
        )
        return bound?.subjects?.map(subject => subject.namespace).join() === namespace
      })
    }
    await reference('elsewhere')
    await reference('karmada-cluster')
  })
})

describe('rights to impersonate', () => {
  const opening = { apiGroups: ['cluster.karmada.io'], resources: ['clusters/proxy'], verbs: ['*'] }
  const rulesFor = (cluster: string, rule: object) =>
    impersonationRules(
      cluster,
      [role('r', rule)] as never,
      [
        binding(
          'r',
          user('ann'),
          { kind: 'Group', name: 'team' },
          { kind: 'ServiceAccount', namespace: 'n', name: 's' },
        ),
        binding('other', user('bob')),
      ] as never,
    )

  it('are granted to exactly the subjects of roles for clusters/proxy', () => {
    expect(
      rulesFor('m', opening).map(({ resources, resourceNames }) => [resources?.[0], resourceNames]),
    ).toEqual([
      ['users', ['ann', 'system:serviceaccount:n:s']],
      ['serviceaccounts', ['s']],
      ['groups', ['team']],
    ])
  })

  it.each([
    ['another cluster', { ...opening, resourceNames: ['elsewhere'] }],
    ['another group', { ...opening, apiGroups: ['apps'] }],
    ['clusters themselves', { ...opening, resources: ['clusters'] }],
  ])('are not granted by a role for %s', (_what, rule) => expect(rulesFor('m', rule)).toEqual([]))
})
