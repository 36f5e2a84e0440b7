import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { kubeConnector } from '../../actors/kube/connector.js'
import type { OwnConnection } from '../../http/objects/requests/own-requests.js'
import { ensureAccount } from '../../http/rpc/instance/issued-account.js'
import {
  INSTANCE_ROLE_BINDINGS,
  type InstanceRole,
  type InstanceRoleBinding,
} from '../../manifests/instance-role-binding.js'
import { isForbidden } from '../../manifests/status-error.js'
import type { KubeApi, KubeRequest } from '../../ports/kube-api.js'
import { eventually } from './support/eventually.js'
import { EU, OneInstance } from './support/one-instance.js'

const world = new OneInstance()
const edda = { name: 'edda', groups: ['shop-team'] }
const people = new Map<string, KubeApi>()

const bind = (name: string, role: InstanceRole, user: string, namespaces?: readonly string[]) =>
  world.create(INSTANCE_ROLE_BINDINGS, {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRoleBinding',
    metadata: { name },
    spec: { instance: EU, role, subjects: [{ kind: 'User', name: user }], ...(namespaces && { namespaces }) },
  })

const materialized = (name: string) =>
  eventually(`${name} is materialized`, async () => {
    const bindings = await world.list(INSTANCE_ROLE_BINDINGS)
    const { status } = bindings.find(({ metadata }) => metadata.name === name) as InstanceRoleBinding
    return status?.conditions?.find(({ type }) => type === 'Materialized')
  })

async function attempt(api: Pick<KubeApi, 'request'>, request: Partial<KubeRequest> & { path: string }) {
  try {
    await api.request({ method: 'GET', ...request })
    return 'allowed'
  } catch (error) {
    return isForbidden(error) ? 'refused' : String(error)
  }
}

const tokenSecret = (account: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'taken', annotations: { 'kubernetes.io/service-account.name': account } },
  type: 'kubernetes.io/service-account-token',
})
const secretsOf = (namespace: string) => `/api/v1/namespaces/${namespace}/secrets`

let inside: KubeApi
/** The account of a kubeconfig that an administrator got. */
let issued: string
const as = (name: string) => people.get(name)!

beforeAll(async () => {
  inside = world.controlPlane.server.local
  issued = await ensureAccount(inside as unknown as OwnConnection, EU, 'root', 'cluster-admin')
  for (const name of ['shop', 'tools'])
    await inside.request({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
    })
  await world.adopt(EU).catch(() => undefined)
  await bind('editors', 'Editor', edda.name)
  await world.create(INSTANCE_ROLE_BINDINGS, {
    apiVersion: 'kairship.io/v1alpha1',
    kind: 'InstanceRoleBinding',
    metadata: { name: 'robot' },
    spec: {
      instance: EU,
      role: 'Admin',
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'tools' }],
    },
  })
  await bind('system-admins', 'Admin', 'sue', ['kairship-system', 'shop'])
  await bind('system-editors', 'Editor', 'sid', ['karmada-cluster', 'shop'])
  for (const name of ['editors', 'system-admins', 'system-editors']) await materialized(name)
  for (const name of ['edda', 'sue', 'sid'])
    people.set(
      name,
      await kubeConnector().connect(await world.controlPlane.server.kubeconfig({ name, groups: [] })),
    )
})
afterAll(() => Promise.all([...people.values()].map(api => api.close())))

describe('an Editor of a whole instance', () => {
  it.each(['kairship-system', 'karmada-cluster', 'kube-system'])(
    'neither makes nor reads Secrets in %s, so it takes no token of an account there',
    async namespace => {
      const post = { method: 'POST', path: secretsOf(namespace), body: tokenSecret(issued) } as const
      expect(await attempt(as('edda'), post)).toBe('refused')
      expect(await attempt(as('edda'), { path: secretsOf(namespace) })).toBe('refused')
      expect(await attempt(as('edda'), { path: '/api/v1/secrets' })).toBe('refused')
    },
  )

  it.each(['shop', 'made-later'])('has the Secrets of namespace %s', async namespace => {
    if (namespace === 'made-later')
      await as('edda').request({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
      })
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'own' } }
    const post = { method: 'POST', path: secretsOf(namespace), body: secret } as const
    await eventually(`Secrets of ${namespace}`, async () => (await attempt(as('edda'), post)) === 'allowed')
    expect(await attempt(as('edda'), { path: secretsOf(namespace) })).toBe('allowed')
  })

  it('has no Secrets where an account with rights on the whole instance lives, nor makes Works', async () => {
    expect(await attempt(as('edda'), { path: secretsOf('tools') })).toBe('refused')
    const works = '/apis/work.karmada.io/v1alpha1/namespaces/shop/works'
    expect(await attempt(as('edda'), { path: works })).toBe('allowed')
    const body = { apiVersion: 'work.karmada.io/v1alpha1', kind: 'Work', metadata: { name: 'w' }, spec: {} }
    expect(await attempt(as('edda'), { method: 'POST', path: works, body })).toBe('refused')
  })

  it('makes no token, no role and no binding, and runs nothing, where the issued accounts are', async () => {
    const at = '/api/v1/namespaces/kairship-system'
    const rbac = '/apis/rbac.authorization.k8s.io/v1'
    const token = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    const grant = (kind: string) => ({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind,
      metadata: { name: 'mine' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'edda' }],
    })
    const posts = [
      { path: `${at}/serviceaccounts/${issued}/token`, body: token },
      { path: `${at}/pods/any/exec`, body: {} },
      { path: `${rbac}/namespaces/kairship-system/rolebindings`, body: grant('RoleBinding') },
      { path: `${rbac}/clusterrolebindings`, body: grant('ClusterRoleBinding') },
    ] as const
    for (const post of posts)
      expect(await attempt(as('edda'), { method: 'POST', ...post }), post.path).toBe('refused')
  })

  it('acts in a member as itself alone', async () => {
    const [member] = [...world.playground.members.keys()]
    const proxied = `/apis/cluster.karmada.io/v1alpha1/clusters/${member}/proxy/api/v1/namespaces/kube-system/secrets`
    const account = { user: `system:serviceaccount:kairship-system:${issued}` }
    expect(await attempt(as('edda'), { path: proxied })).toBe('refused')
    expect(await attempt(as('edda'), { path: proxied, impersonate: account })).toBe('refused')
  })

  it('impersonates no ServiceAccount', async () => {
    const impersonate = { user: `system:serviceaccount:kairship-system:${issued}` }
    expect(await attempt(as('edda'), { path: '/api/v1/nodes', impersonate })).toBe('refused')
  })
})

describe('a role on a reserved namespace', () => {
  const reported = async (name: string) =>
    ((await materialized(name)) as { status: string; reason: string; message: string }) ?? {}

  it('is not given to an Admin, and the status of its binding says so', async () => {
    expect(await reported('system-admins')).toMatchObject({
      status: 'False',
      reason: 'ReservedNamespace',
      message: expect.stringMatching(/^no rights in kairship-system: /),
    })
    const list = (namespace: string) => attempt(people.get('sue')!, { path: secretsOf(namespace) })
    expect([await list('kairship-system'), await list('shop')]).toEqual(['refused', 'allowed'])
  })

  it('is given to an Editor without Secrets', async () => {
    expect(await reported('system-editors')).toMatchObject({
      status: 'False',
      reason: 'ReservedNamespace',
      message: expect.stringMatching(/^no rights on Secrets in karmada-cluster: /),
    })
    const list = (namespace: string) => attempt(people.get('sid')!, { path: secretsOf(namespace) })
    expect([await list('karmada-cluster'), await list('shop')]).toEqual(['refused', 'allowed'])
    const pods = { path: '/api/v1/namespaces/karmada-cluster/pods' }
    expect(await attempt(people.get('sid')!, pods)).toBe('allowed')
  })
})
