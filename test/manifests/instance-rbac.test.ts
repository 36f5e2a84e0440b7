import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inheritedBinding } from '../../manifests/effective-binding.js'
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  ROLE_BINDINGS,
  renderRbac,
} from '../../manifests/instance-rbac.js'
import type { InstanceRole, InstanceRoleBinding, Subject } from '../../manifests/instance-role-binding.js'
import { resourcePath } from '../../manifests/kube.js'
import { type ApiServer, startApiServer } from '../../playground/apiserver/server.js'
import { workspaceBinding, workspaceRoleBinding } from '../actors/host/role-bindings/watched-roles.js'

const binding = (
  name: string,
  role: InstanceRole,
  subject: Subject,
  namespaces?: readonly string[],
): InstanceRoleBinding => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'InstanceRoleBinding',
  metadata: { name },
  spec: { instance: 'alpha', role, subjects: [subject], ...(namespaces && { namespaces }) },
})
const user = (name: string): Subject => ({ kind: 'User', name })

const bindings = [
  binding('viewer', 'Viewer', user('vera')),
  binding('editor', 'Editor', user('edda')),
  binding('shop-editor', 'Editor', { kind: 'Group', name: 'shop-team' }, ['shop']),
  binding('admin', 'Admin', { kind: 'ServiceAccount', name: 'ada', namespace: 'tools' }),
  // The CRD refuses an empty list. Should one come all the same, it must not mean the whole instance.
  binding('nothing', 'Admin', user('nora'), []),
]
/** `vault` keeps credentials of members. */
const inside = {
  present: [
    'shop',
    'bank',
    'tools',
    'vault',
    'kube-system',
    'kairship-system',
    'karmada-cluster',
    'karmada-es-a',
  ],
  holdsMemberCredentials: (namespace: string) => namespace === 'vault',
}
const resources = {
  ClusterRole: CLUSTER_ROLES,
  ClusterRoleBinding: CLUSTER_ROLE_BINDINGS,
  RoleBinding: ROLE_BINDINGS,
}

describe('the rights that role bindings become inside an instance', () => {
  let server: ApiServer
  beforeAll(async () => {
    server = await startApiServer({ name: 'alpha' })
    for (const name of inside.present.filter(name => name !== 'kube-system'))
      await server.local.request({
        method: 'POST',
        path: '/api/v1/namespaces',
        body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
      })
    for (const { object } of renderRbac('alpha', bindings, inside)) {
      const { namespace } = object.metadata
      const path = resourcePath(resources[object.kind as keyof typeof resources], {
        ...(namespace !== undefined && { namespace }),
      })
      await server.local.request({ method: 'POST', path, body: object })
    }
  })
  afterAll(() => server.close())

  async function allowed(spec: object): Promise<boolean> {
    const { status } = await server.local.request<{ status: { allowed: boolean } }>({
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec },
    })
    return status.allowed
  }

  const [vera, edda, nora] = ['vera', 'edda', 'nora'].map(user => ({
    user,
    groups: ['system:authenticated'],
  }))
  const shopper = { user: 'sam', groups: ['shop-team'] }
  const ada = { user: 'system:serviceaccount:tools:ada', groups: [] }

  it.each<[string, object | undefined, string, readonly string[], readonly string[]]>([
    [
      'a Viewer',
      vera,
      'reads what is deployed anywhere, and no secret',
      [
        ...[
          'list pods',
          'watch pods in bank',
          'get pods/log in shop',
          'get deployments.apps in shop',
          'list namespaces',
        ],
        'get propagationpolicies.policy.karmada.io in shop',
        ...['list resourcebindings.work.karmada.io', 'get clusterresourcebindings/status.work.karmada.io'],
        ...['list clusters.cluster.karmada.io', 'get clusters/status.cluster.karmada.io'],
      ],
      [
        ...['get secrets in shop', 'list secrets', 'create pods in shop', 'delete deployments.apps in shop'],
        ...['get works.work.karmada.io in karmada-es-a', 'list works.work.karmada.io'],
        'delete resourcebindings.work.karmada.io in shop',
        ...['create pods/exec in shop', 'create serviceaccounts/token in shop', 'list nodes'],
        ...['get roles.rbac.authorization.k8s.io in shop', 'impersonate users'],
        ...['update clusters.cluster.karmada.io', 'create propagationpolicies.policy.karmada.io in shop'],
      ],
    ],
    [
      'an Editor',
      edda,
      'changes what is deployed anywhere, and neither clusters nor rights',
      [
        ...[
          'create pods in shop',
          'deletecollection deployments.apps in bank',
          'get secrets in shop',
          'update secrets in bank',
        ],
        ...['create propagationpolicies.policy.karmada.io in shop', 'create namespaces'],
        'list works.work.karmada.io',
        'list clusters.cluster.karmada.io',
      ],
      [
        ...['get', 'list', 'create', 'update', 'watch'].flatMap(verb =>
          ['kube-system', 'kairship-system', 'karmada-cluster', 'karmada-es-a', 'tools', 'vault'].map(
            namespace => `${verb} secrets in ${namespace}`,
          ),
        ),
        ...[
          'list secrets',
          'impersonate serviceaccounts in shop',
          'impersonate serviceaccounts in kube-system',
        ],
        ...['create works.work.karmada.io in karmada-es-a', 'update works.work.karmada.io in karmada-es-a'],
        ...[
          'create resourcebindings.work.karmada.io in shop',
          'patch clusterresourcebindings.work.karmada.io',
        ],
        ...['bind clusterroles.rbac.authorization.k8s.io', 'use podsecuritypolicies.policy'],
        ...[
          'create clusters.cluster.karmada.io',
          'update clusters.cluster.karmada.io',
          'delete clusters.cluster.karmada.io',
        ],
        ...[
          'create rolebindings.rbac.authorization.k8s.io in shop',
          'escalate clusterroles.rbac.authorization.k8s.io',
        ],
        ...[
          'create serviceaccounts/token in shop',
          'create pods/exec in shop',
          'impersonate users',
          'list nodes',
        ],
      ],
    ],
    [
      'an Editor of one namespace',
      shopper,
      'changes what is deployed there, and sees nothing else',
      ['create pods in shop', 'get secrets in shop', 'create propagationpolicies.policy.karmada.io in shop'],
      [
        'get pods in bank',
        'list pods',
        'get secrets in bank',
        'list clusters.cluster.karmada.io',
        'list namespaces',
      ],
    ],
    [
      'an Admin',
      ada,
      'may do everything',
      [
        'delete nodes',
        'escalate clusterroles.rbac.authorization.k8s.io',
        'get secrets in shop',
        'impersonate users',
      ],
      [],
    ],
    [
      'an Admin of no namespace',
      nora,
      'may do nothing',
      [],
      ['list pods', 'get pods in shop', 'delete nodes'],
    ],
  ])('%s', async (_role, who, _what, may, mayNot) => {
    const review = (action: string) => {
      const [, verb, resource, subresource, group = '', namespace] =
        /^(\w+) (\w+)(?:\/(\w+))?(?:\.([\w.-]+))?(?: in (\w+))?$/.exec(action) ?? []
      return allowed({ ...who, resourceAttributes: { verb, group, resource, subresource, namespace } })
    }
    const granted = async (actions: readonly string[]) => {
      const verdicts = await Promise.all(actions.map(review))
      return actions.filter((_, at) => verdicts[at])
    }
    expect(await granted(may)).toEqual(may)
    expect(await granted(mayNot)).toEqual([])
  })

  it('let each of them through Karmada’s cluster proxy, where the member decides', async () => {
    const resourceAttributes = {
      ...{
        verb: 'create',
        group: 'cluster.karmada.io',
        resource: 'clusters',
        subresource: 'proxy',
        name: 'm',
      },
    }
    for (const who of [vera, edda, shopper, ada])
      expect(await allowed({ ...who, resourceAttributes })).toBe(true)
  })

  it.each([
    ['a user who is called as a service account', { user: 'ada', groups: [] }],
    [
      'a service account of that name in another namespace',
      { user: 'system:serviceaccount:shop:ada', groups: [] },
    ],
    ['a user who is called as a group', { user: 'shop-team', groups: [] }],
    ['a group that is called as a user', { user: 'sam', groups: ['edda'] }],
  ])('are not those of %s', async (_, who) => {
    for (const namespace of [undefined, 'shop'])
      expect(
        await allowed({ ...who, resourceAttributes: { verb: 'get', resource: 'pods', namespace } }),
      ).toBe(false)
  })

  it('are paths that are no resources for an Admin only', async () => {
    const nonResourceAttributes = { verb: 'get', path: '/metrics' }
    expect([
      await allowed({ ...ada, nonResourceAttributes }),
      await allowed({ ...edda, nonResourceAttributes }),
    ]).toEqual([true, false])
  })
})

it('subjects are rendered as an API server stores them: anything else would be written again and again', () => {
  const rendered = renderRbac('alpha', bindings, inside).map(({ object }) => object)
  const subjectsOf = (name: string) =>
    rendered.find(({ roleRef, metadata }) => roleRef && metadata.name === `kairship:${name}`)?.subjects
  const apiGroup = 'rbac.authorization.k8s.io'
  expect(['viewer', 'shop-editor', 'admin'].map(subjectsOf)).toEqual([
    [{ kind: 'User', name: 'vera', apiGroup }],
    [{ kind: 'Group', name: 'shop-team', apiGroup }],
    [{ kind: 'ServiceAccount', name: 'ada', namespace: 'tools' }],
  ])
})

it('no two RBAC objects inside have one name, whatever bindings are called', () => {
  const names = ['instance-editors', 'secrets', 'cluster-proxy', 'editor', 'workspace', 'workspace-secrets']
  const named = names.flatMap(name => [
    binding(name, 'Editor', user('edda'), ['shop']),
    inheritedBinding('alpha', workspaceRoleBinding(name, 'w', 'Editor', { subjects: [user('edda')] }), [
      workspaceBinding('w', { instance: 'alpha', namespace: 'shop' }),
    ]),
  ])
  const rendered = renderRbac('alpha', [binding('all', 'Editor', user('edda')), ...named], inside)
  const identities = rendered.map(
    ({ object: { kind, metadata } }) => `${kind} ${metadata.namespace} ${metadata.name}`,
  )
  expect(identities.length).toBeGreaterThan(30)
  expect(identities.filter((one, at) => identities.indexOf(one) !== at)).toEqual([])
})
