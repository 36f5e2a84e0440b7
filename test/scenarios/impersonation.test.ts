import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectKube } from '../../actors/kube/connection.js'
import { parseKubeconfig } from '../../actors/kube/kubeconfig.js'
import { IMPERSONATOR, IMPERSONATOR_USER, SERVICE_ACCOUNTS } from '../../manifests/impersonator.js'
import { INSTANCES, type Instance } from '../../manifests/instance.js'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../manifests/instance-rbac.js'
import { type GroupVersionResource, resourcePath } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { curl } from '../http/fakes/listening.js'
import { eventually } from './support/eventually.js'
import { ManagedWorld, TYPES } from './support/managed-world.js'

const world = new ManagedWorld(InstanceService)
const RBAC = 'rbac.authorization.k8s.io'

/** A request through the proxy, as the administrator. */
const proxied = async (path: string, headers: Record<string, string> = {}) => {
  const at = `/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy${path}`
  return curl(world.world.api, at, { token: world.world.playground.tokens.admin }, headers)
}

describe('the account that impersonates callers', () => {
  /** The control plane under a token of the account. */
  let account: KubeApi

  beforeAll(async () => {
    expect((await proxied('/version')).status).toBe(200)
    const { status } = await world.control.request<{ status: { token: string } }>({
      method: 'POST',
      path: resourcePath(SERVICE_ACCOUNTS, { ...IMPERSONATOR, subresource: 'token' }),
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 600 },
      },
    })
    const config = parseKubeconfig(world.world.kubeconfig('direct'), { local: false })
    account = await connectKube({ ...config, credential: { token: status.token } })
  })
  afterAll(() => account.close())

  const refusalOf = (request: Parameters<KubeApi['request']>[0]) =>
    account.request(request).then(
      () => 'allowed',
      (error: Error) => error.message,
    )

  it('exists once a caller has used the instance', async () => {
    expect(await world.find(world.control, SERVICE_ACCOUNTS, IMPERSONATOR)).toMatchObject({
      metadata: { labels: { 'kairship.io/instance': world.instance } },
    })
  })

  it.each([
    ['reads nothing', { method: 'GET', path: resourcePath(TYPES.configMaps, { namespace: 'default' }) }],
    ['reads no Secret', { method: 'GET', path: resourcePath(TYPES.secrets) }],
    [
      'writes nothing',
      {
        method: 'POST',
        path: resourcePath(TYPES.configMaps, { namespace: 'default' }),
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } },
      },
    ],
    [
      'makes no tokens, not even of itself',
      {
        method: 'POST',
        path: resourcePath(SERVICE_ACCOUNTS, { ...IMPERSONATOR, subresource: 'token' }),
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      },
    ],
    ['gives itself no role', { method: 'DELETE', path: resourcePath(CLUSTER_ROLE_BINDINGS, { name: 'x' }) }],
  ] as const)('%s when a request lost the name of its caller', async (_, request) => {
    expect(await refusalOf(request)).toContain(`User "${IMPERSONATOR_USER}" cannot`)
  })

  it('does what a caller may do, in the name of the caller', async () => {
    const impersonate = {
      user: 'ada',
      uid: '1',
      groups: ['system:masters'],
      extra: { 'example.com/x': ['y'] },
    }
    const me = await account.request<{ status: { userInfo: unknown } }>({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      impersonate,
    })
    expect(me.status.userInfo).toMatchObject({ username: 'ada', uid: '1', extra: { 'example.com/x': ['y'] } })
  })

  it('is what the proxy uses: without its right, nobody reaches the instance', async () => {
    const name = { name: 'kairship:impersonator' }
    const binding = await world.find(world.control, CLUSTER_ROLE_BINDINGS, name)
    await world.remove(world.control, CLUSTER_ROLE_BINDINGS, name)
    const refused = await proxied('/version')
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining(`User \\"${IMPERSONATOR_USER}\\" cannot impersonate`),
    ])
    const { resourceVersion: _, uid: __, ...metadata } = binding.metadata
    await world.control.request({
      method: 'POST',
      path: resourcePath(CLUSTER_ROLE_BINDINGS),
      body: { ...binding, metadata },
    })
    expect((await proxied('/version')).status).toBe(200)
  })
})

describe('an instance whose credential may make no token of the account', () => {
  const host = () => world.world.playground.host.local
  const instance = (): Promise<Instance> => world.find(host(), INSTANCES, { name: world.instance })
  const conditionOf = async (wanted: string) =>
    (await instance()).status?.conditions?.find(({ type }) => type === wanted)
  /** A user with all that Kairship needs inside, but tokens of ServiceAccounts. */
  const ROBOT = 'robot-without-tokens'
  const rules = [
    { apiGroups: ['*'], resources: ['*'], verbs: ['get', 'list', 'watch', 'update', 'patch', 'delete'] },
    { apiGroups: [RBAC], resources: ['*'], verbs: ['create', 'bind', 'escalate'] },
    { apiGroups: [''], resources: ['namespaces', 'serviceaccounts', 'configmaps'], verbs: ['create'] },
    { nonResourceURLs: ['*'], verbs: ['get'] },
  ]
  const use = async (kubeconfig: string) => {
    const { namespace = '', name = '' } = (await instance()).spec?.kubeconfigSecretRef ?? {}
    const secret = await world.find(host(), TYPES.secrets, { namespace, name })
    const data = { kubeconfig: Buffer.from(kubeconfig).toString('base64') }
    await world.patch(host(), TYPES.secrets, { namespace, name }, { data })
    return Buffer.from(secret.data.kubeconfig, 'base64').toString()
  }

  it('says so in a condition that is no part of ready, and takes it back when the credential may', async () => {
    const metadata = { name: ROBOT }
    const create = (type: GroupVersionResource, kind: string, more: object) => {
      const body = { apiVersion: `${RBAC}/v1`, kind, metadata, ...more }
      return world.control.request({ method: 'POST', path: resourcePath(type), body })
    }
    await create(CLUSTER_ROLES, 'ClusterRole', { rules })
    await create(CLUSTER_ROLE_BINDINGS, 'ClusterRoleBinding', {
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: ROBOT },
      subjects: [{ apiGroup: RBAC, kind: 'User', name: ROBOT }],
    })
    expect((await proxied('/version')).status).toBe(200)
    await eventually('it is said that callers are impersonated', async () =>
      expect(await conditionOf('CallersImpersonated')).toMatchObject({ status: 'True' }),
    )
    const { server } = world.world.playground.karmadas.get(world.instance)!
    const before = await use(await server.tokenKubeconfig({ name: ROBOT }))
    await eventually('callers are refused', async () =>
      expect((await proxied('/version')).text).toContain('serviceaccounts/token'),
    )
    await eventually('the instance says why', async () =>
      expect(await conditionOf('CallersImpersonated')).toMatchObject({
        ...{ status: 'False', reason: 'ImpersonationRefused' },
        message: expect.stringContaining(`may not get a token of ${IMPERSONATOR_USER}`),
      }),
    )
    expect(await conditionOf('Ready')).toMatchObject({ status: 'True' })
    await use(before)
    await eventually('callers are served', async () => expect((await proxied('/version')).status).toBe(200))
    await eventually('it is said that callers are impersonated', async () =>
      expect(await conditionOf('CallersImpersonated')).toMatchObject({ status: 'True' }),
    )
  })
})

describe('a caller who acts as another', () => {
  const SELF = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const whoAmI = (token: string, headers: Record<string, string>) => {
    const at = `/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy${SELF}`
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const json = { ...headers, 'content-type': 'application/json' }
    return curl(world.world.api, at, { token }, json, 'POST', body)
  }

  it('is the other inside the instance, with the original user in an extra', async () => {
    const { admin } = world.world.playground.tokens
    const headers = { 'impersonate-user': 'eve', 'impersonate-group': 'dev', 'impersonate-uid': '7' }
    const { status, text } = await whoAmI(admin, headers)
    expect([status, JSON.parse(text).status?.userInfo]).toMatchObject([
      201,
      {
        username: 'eve',
        uid: '7',
        groups: ['dev', 'system:authenticated'],
        extra: { 'kairship.io/original-user': ['admin@playground'] },
      },
    ])
  })

  it.each([
    ['a user', { 'impersonate-user': 'eve' }, 'users'],
    ['a service account', { 'impersonate-user': 'system:serviceaccount:default:default' }, 'serviceaccounts'],
  ])('is refused where the RBAC inside does not let it be %s', async (_, headers, resource) => {
    const { status, text } = await whoAmI(world.world.playground.tokens.viewer, headers)
    expect([status, text]).toEqual([
      403,
      expect.stringContaining(`cannot impersonate resource \\"${resource}\\"`),
    ])
  })
})
