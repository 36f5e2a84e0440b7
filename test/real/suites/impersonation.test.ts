import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { IMPERSONATOR, IMPERSONATOR_USER } from '../../../manifests/impersonator.js'
import type { InstanceRole, Subject } from '../../../manifests/instance-role-binding.js'
import { ApiClient } from '../api-client.js'
import { eventually } from '../probe.js'
import { type RealProxy, startRealProxy } from '../proxy.js'

const PREFIX = 'impersonation'
const ROLES: readonly InstanceRole[] = ['Viewer', 'Editor', 'Admin']
const GROUPS = Array.from({ length: 60 }, (_, index) => `${PREFIX}:group-${index}`)
const BOUND_GROUPS = [GROUPS[7]!, GROUPS[31]!]
const RBAC = 'rbac.authorization.k8s.io'
const SELF_REVIEWS = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
const CONFIG_MAPS = `/api/v1/namespaces/${PREFIX}/configmaps`

const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } })
const clusterRole = { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: PREFIX }, rules: [] }
const policy = {
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind: 'PropagationPolicy',
  metadata: { name: PREFIX },
  spec: { resourceSelectors: [{ apiVersion: 'v1', kind: 'ConfigMap' }], placement: {} },
}
/** Requests to the instance, and the roles that may make them. Writes are dry runs: each role is judged alike. */
const REQUESTS: readonly [method: string, path: string, body: object | undefined, roles: string][] = [
  ['GET', CONFIG_MAPS, undefined, 'Viewer Editor Admin'],
  ['GET', '/apis/cluster.karmada.io/v1alpha1/clusters', undefined, 'Viewer Editor Admin'],
  ['POST', `${CONFIG_MAPS}?dryRun=All`, configMap('dry'), 'Editor Admin'],
  [
    'POST',
    `/apis/policy.karmada.io/v1alpha1/namespaces/${PREFIX}/propagationpolicies?dryRun=All`,
    policy,
    'Editor Admin',
  ],
  ['GET', `/api/v1/namespaces/${PREFIX}/secrets`, undefined, 'Editor Admin'],
  ['GET', '/api/v1/namespaces/karmada-cluster/secrets', undefined, 'Admin'],
  ['GET', `/apis/work.karmada.io/v1alpha1/namespaces/${PREFIX}/works`, undefined, 'Editor Admin'],
  ['POST', `/apis/${RBAC}/v1/clusterroles?dryRun=All`, clusterRole, 'Admin'],
]

interface UserInfo {
  readonly username: string
  readonly groups: readonly string[]
  readonly extra?: Readonly<Record<string, readonly string[]>>
}

describe('callers at a real Karmada, impersonated', () => {
  const stack = inject('stack')
  let proxy: RealProxy
  let host: ApiClient
  const people = new Map<string, ApiClient>()
  const person = (name: string): ApiClient => people.get(name)!
  const instancePath = () => `/apis/kairship.io/v1alpha1/instances/${proxy.instance}`
  const proxied = (path: string) => `${instancePath()}/proxy${path}`
  const atMember = (path: string) =>
    proxied(`/apis/cluster.karmada.io/v1alpha1/clusters/${proxy.member}/proxy${path}`)

  const bindRole = (name: string, role: InstanceRole, subjects: readonly Subject[]) =>
    host.apply({
      apiVersion: 'kairship.io/v1alpha1',
      kind: 'InstanceRoleBinding',
      metadata: { name: `${PREFIX}-${name}` },
      spec: { instance: proxy.instance, role, subjects },
    })
  const whoAmI = async (who: ApiClient, path: string, headers?: Record<string, string | string[]>) => {
    const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const answer = await who.send('POST', path, body, headers)
    return {
      status: answer.status,
      text: JSON.stringify(answer.body),
      user: (answer.body as { status?: { userInfo?: UserInfo } }).status?.userInfo,
    }
  }
  const viewOfMember = {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: PREFIX },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'view' },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: BOUND_GROUPS[0]! }],
  }

  beforeAll(async () => {
    proxy = await startRealProxy(stack, PREFIX)
    host = new ApiClient(stack.host)
    await proxy.karmada.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: PREFIX } })
    for (const role of ROLES) {
      people.set(role, await proxy.person(`${PREFIX}:${role}`))
      await bindRole(role.toLowerCase(), role, [
        { apiGroup: RBAC, kind: 'User', name: `${PREFIX}:${role}` } as Subject,
      ])
    }
    people.set('of many groups', await proxy.person(`${PREFIX}:many`, GROUPS))
    people.set('by group alone', await proxy.person(`${PREFIX}:by-group`, [BOUND_GROUPS[0]!]))
    people.set('nobody', await proxy.person(`${PREFIX}:nobody`))
    await bindRole(
      'groups',
      'Editor',
      BOUND_GROUPS.map(name => ({ apiGroup: RBAC, kind: 'Group', name }) as Subject),
    )
    await bindRole('many', 'Editor', [{ apiGroup: RBAC, kind: 'User', name: `${PREFIX}:many` } as Subject])
    await proxy.memberClient.apply(viewOfMember)
    // The robot's groups are those of all accounts of an instance, the impersonator's too: it would be a Viewer.
    const robotsGroups = `robots-groups-${proxy.instance}`
    await host.send('DELETE', `/apis/kairship.io/v1alpha1/instancerolebindings/${robotsGroups}`)
    const inside = `/apis/${RBAC}/v1/clusterrolebindings/kairship:${robotsGroups}`
    await eventually(async () => (await proxy.karmada.send('GET', inside)).status === 404, 'its rights gone')
    for (const role of ROLES)
      await eventually(async () => {
        // Editors get Secrets by a binding of their own.
        const [path] = role === 'Viewer' ? [CONFIG_MAPS] : [`/api/v1/namespaces/${PREFIX}/secrets`]
        return (await person(role).send('GET', proxied(path!))).status === 200
      }, `${role} let in`)
  })
  afterAll(async () => {
    for (const client of people.values()) await client.close()
    for (const name of [...ROLES.map(role => role.toLowerCase()), 'groups', 'many'])
      await host.send('DELETE', `/apis/kairship.io/v1alpha1/instancerolebindings/${PREFIX}-${name}`)
    await proxy?.memberClient.send('DELETE', `/apis/${RBAC}/v1/clusterrolebindings/${PREFIX}`)
    await proxy?.karmada.send('DELETE', `/api/v1/namespaces/${PREFIX}`)
    await proxy?.close()
    await host?.close()
  })

  describe('the account that impersonates them', () => {
    let account: ApiClient

    beforeAll(async () => {
      const path = `/api/v1/namespaces/${IMPERSONATOR.namespace}/serviceaccounts/${IMPERSONATOR.name}/token`
      const { status } = await proxy.karmada.must<{ status: { token: string } }>('POST', path, { spec: {} })
      const { url, ca } = proxy.karmada.credentials
      account = new ApiClient({ url, ca, token: status.token })
    })
    afterAll(() => account?.close())

    it.each([
      ['reads no ConfigMap', 'GET', CONFIG_MAPS, undefined],
      ['reads no Secret', 'GET', '/api/v1/secrets', undefined],
      ['reads no member', 'GET', '/apis/cluster.karmada.io/v1alpha1/clusters', undefined],
      ['writes no ConfigMap', 'POST', CONFIG_MAPS, configMap('bare')],
      [
        'deletes no binding',
        'DELETE',
        `/apis/${RBAC}/v1/clusterrolebindings/kairship:impersonator`,
        undefined,
      ],
      [
        'makes no token, not even of itself',
        'POST',
        `/api/v1/namespaces/${IMPERSONATOR.namespace}/serviceaccounts/${IMPERSONATOR.name}/token`,
        { spec: {} },
      ],
    ])('%s under its bare token', async (_, method, path, body) => {
      const { status, body: answer } = await account.send(method, path, body)
      expect([status, (answer as { message: string }).message]).toEqual([
        403,
        expect.stringContaining(`User "${IMPERSONATOR_USER}" cannot`),
      ])
    })

    it('is said to be of use, by the replica that serves callers', async () => {
      type Shown = { readonly status?: { readonly conditions?: readonly object[] } }
      const { body } = await person('Viewer').send('GET', instancePath())
      expect((body as Shown).status?.conditions).toContainEqual(
        expect.objectContaining({ type: 'CallersImpersonated', status: 'True' }),
      )
    })

    it('has no right to a resource but to impersonate, and those of everybody', async () => {
      type Rules = { status: { resourceRules: { verbs: string[]; resources: string[] }[] } }
      const path = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews'
      const body = { spec: { namespace: PREFIX } }
      const { status } = await account.must<Rules>('POST', path, body)
      const own = status.resourceRules.filter(
        ({ resources }) => !resources.every(resource => resource.startsWith('selfsubject')),
      )
      expect(own).toHaveLength(2)
      expect(own).toEqual(
        expect.arrayContaining([
          { verbs: ['impersonate'], apiGroups: [''], resources: ['users', 'groups', 'serviceaccounts'] },
          { verbs: ['impersonate'], apiGroups: ['authentication.k8s.io'], resources: ['*'] },
        ]),
      )
    })
  })

  describe.each(ROLES)('bound as %s', role => {
    it.each(REQUESTS)('through the proxy: %s %s', async (method, path, body, roles) => {
      const { status, body: answer } = await person(role).send(method, proxied(path), body)
      if (roles.split(' ').includes(role)) expect([200, 201]).toContain(status)
      else
        expect([status, (answer as { message: string }).message]).toEqual([
          403,
          expect.stringContaining(`User "${PREFIX}:${role}" cannot`),
        ])
    })

    it('does in the management API what the role says', async () => {
      const at = (resource: string) => `${instancePath()}/namespaces/${PREFIX}/${resource}`
      const name = `of-${role.toLowerCase()}`
      const data = JSON.stringify(configMap(name))
      await proxy.karmada.send('DELETE', `${CONFIG_MAPS}/${name}`)
      const statuses = [
        await person(role).send('GET', at('configmaps')),
        await person(role).send('GET', at('secrets')),
        await person(role).send('POST', at('configmaps'), { data }),
      ].map(({ status }) => status)
      expect(statuses).toEqual(role === 'Viewer' ? [200, 403, 403] : [200, 200, 200])
    })
  })

  it.each([proxied, () => `${instancePath()}/namespaces/${PREFIX}/configmaps`])(
    'refuses a person whom no role names',
    async at => {
      expect((await person('nobody').send('GET', at(CONFIG_MAPS))).status).toBe(403)
    },
  )

  describe('a person of 60 groups, of which two are bound', () => {
    it('has all of them in the instance', async () => {
      const { user } = await whoAmI(person('of many groups'), proxied(SELF_REVIEWS))
      expect(user?.username).toBe(`${PREFIX}:many`)
      expect([...user!.groups].sort()).toEqual([...GROUPS, 'system:authenticated'].sort())
    })

    it('reaches a member with the two, and has there what the member gives them', async () => {
      const who = person('of many groups')
      // Karmada's controller gives its impersonator in the member the user and the groups some time after the binding.
      await eventually(
        async () => (await whoAmI(who, atMember(SELF_REVIEWS))).status === 201,
        'the person of many groups let in as far as the member',
      )
      const { user } = await whoAmI(who, atMember(SELF_REVIEWS))
      expect([...user!.groups].sort()).toEqual([...BOUND_GROUPS, 'system:authenticated'].sort())
      const statusOf = async (path: string) => (await who.send('GET', atMember(path))).status
      expect([
        await statusOf('/api/v1/namespaces/default/configmaps'),
        await statusOf('/api/v1/namespaces/default/secrets'),
      ]).toEqual([200, 403])
    })
  })

  it('does not reach a member by a group alone: Karmada impersonates the user by name', async () => {
    const { status, text } = await whoAmI(person('by group alone'), atMember(SELF_REVIEWS))
    expect([status, text]).toEqual([403, expect.stringContaining(`cannot impersonate resource \\"users\\"`)])
  })

  describe('who acts as another', () => {
    const asEve = { 'impersonate-user': 'eve', 'impersonate-group': [`${PREFIX}:a`, `${PREFIX}:b`] }

    it('is the other inside, where its own RBAC allows that, with its own name in an extra', async () => {
      const { status, user } = await whoAmI(person('Admin'), proxied(SELF_REVIEWS), asEve)
      expect([status, user]).toMatchObject([
        201,
        {
          username: 'eve',
          groups: [`${PREFIX}:a`, `${PREFIX}:b`, 'system:authenticated'],
          extra: { 'kairship.io/original-user': [`${PREFIX}:Admin`] },
        },
      ])
    })

    it('may do no more than the other', async () => {
      const { status, body } = await person('Admin').send('GET', proxied(CONFIG_MAPS), undefined, asEve)
      expect([status, (body as { message: string }).message]).toEqual([
        403,
        expect.stringContaining('User "eve" cannot list resource "configmaps"'),
      ])
    })

    it.each(['Viewer', 'Editor'])('is refused as %s', async role => {
      const { status, text } = await whoAmI(person(role), proxied(SELF_REVIEWS), asEve)
      expect([status, text]).toEqual([
        403,
        expect.stringContaining(`User \\"${PREFIX}:${role}\\" cannot impersonate resource \\"users\\"`),
      ])
    })

    it('is never system:masters, also as an Admin', async () => {
      const headers = { 'impersonate-user': 'eve', 'impersonate-group': 'system:masters' }
      expect((await whoAmI(person('Admin'), proxied(SELF_REVIEWS), headers)).status).toBe(403)
    })
  })
})
