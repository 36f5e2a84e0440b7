import { afterEach, describe, expect, it } from 'vitest'
import { ACCESS_LOCKS } from '../../../manifests/access-lock.js'
import {
  INSTANCE_ROLE_BINDINGS,
  type InstanceRole,
  type Subject,
} from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { WORKSPACE_BINDINGS, WORKSPACES } from '../../../manifests/workspace.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { AccessReviewService } from '../../../proto/gen/kairship/access_review_pb.js'
import { curl } from '../../http/fakes/listening.js'
import { eventually } from '../support/eventually.js'
import { hostUser } from '../support/host-user.js'
import { ManagedWorld, TYPES } from '../support/managed-world.js'

const world = new ManagedWorld(AccessReviewService)
const given: string[] = []
const RBAC = 'rbac.authorization.k8s.io'

async function give(name: string, role: InstanceRole, subject: Subject, namespaces?: readonly string[]) {
  const spec = { instance: world.instance, role, subjects: [subject], ...(namespaces && { namespaces }) }
  await world.world.playground.host.local.request({
    ...{ method: 'POST', path: resourcePath(INSTANCE_ROLE_BINDINGS) },
    body: { apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name }, spec },
  })
  given.push(name)
}
afterEach(async () => {
  for (const name of given.splice(0))
    await world.remove(world.world.playground.host.local, INSTANCE_ROLE_BINDINGS, { name })
})

const postRbac = (api: KubeApi, resource: string, body: object) =>
  api.request({ method: 'POST', path: `/apis/${RBAC}/v1/${resource}`, body })
/** Gives a user a ClusterRole there, past Kairship. */
const bind = (api: KubeApi, user: string, role: string) =>
  postRbac(api, 'clusterrolebindings', {
    metadata: { name: user },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup: RBAC, kind: 'User', name: user }],
  })

/** An entry that is about a subject. */
interface Named {
  readonly subject: { readonly name: string }
}

/** The status of a request through the proxy. */
async function proxied(token: string, path: string, method = 'GET', body?: object): Promise<number> {
  const at = `/apis/kairship.io/v1alpha1/instances/${world.instance}/proxy${path}`
  return (await curl(world.world.api, at, { token }, {}, method, body)).status
}

const deployments = (namespace: string) => ({
  ...{ verb: 'list', group: 'apps', resource: 'deployments', namespace },
})
const steps = (links: readonly { readonly step?: unknown; readonly state?: unknown }[] | undefined) =>
  (links ?? []).map(({ step, state }) => `${step} ${state}`)

/** An explanation for the administrator, over both wires. */
const explain = (request: object) =>
  world.calls.read('explainAccess', { instance: world.instance, ...request })

describe('who a caller is', () => {
  it('is told anybody who is authenticated, with the roles that the caller has by then', async () => {
    const { host } = world.world.playground
    const token = await host.issueToken({ name: 'wim', groups: ['wards'] }, 3_600)
    const wim = world.calls.as(token)
    try {
      const before = await wim.read('whoAmI', {})
      expect(before).toMatchObject({ user: 'wim', roles: [], credential: { source: 'HOST' } })
      expect(before.groups).toEqual(expect.arrayContaining(['wards', 'system:authenticated']))
      await give('wards', 'Editor', { kind: 'Group', name: 'wards' }, ['default'])
      const { roles } = await eventually('the role is in effect', async () => {
        const answer = await wim.read('whoAmI', {})
        return answer.roles.length > 0 ? answer : undefined
      })
      expect(roles).toEqual([
        expect.objectContaining({
          ...{ instance: world.instance, role: 'Editor', namespaces: ['default'] },
          ...{ bindingKind: 'InstanceRoleBinding', bindingName: 'wards' },
          subject: expect.objectContaining({ kind: 'Group', name: 'wards' }),
        }),
      ])
      // Others' roles are others' affair.
      expect(JSON.stringify(await world.viewer.read('whoAmI', {}))).not.toContain('wards')
    } finally {
      wim.close()
    }
    const { json } = await world.calls.as('unknown').overRest('whoAmI', {})
    expect(json.code).toBe(16)
  })
})

describe('a review of actions on the host', () => {
  it('allows the administrator all, and a viewer only to read, with who can help', async () => {
    const actions = [
      { verb: 'create', resource: 'accesslocks' },
      { verb: 'delete', resource: 'instancerolebindings', name: 'any' },
      { verb: 'create', resource: 'instances' },
      { verb: 'create', resource: 'instances/kubeconfig', name: world.instance },
      { verb: 'get', resource: 'instances', name: world.instance },
    ]
    const decisions = (reviews: readonly { readonly decision: string }[]) =>
      reviews.map(({ decision }) => decision)
    const { reviews } = await world.calls.read('reviewAccess', { actions })
    expect(decisions(reviews)).toEqual(actions.map(() => 'ALLOWED'))
    const { reviews: seen } = await world.viewer.read('reviewAccess', { actions })
    expect(decisions(seen)).toEqual(['DENIED', 'DENIED', 'DENIED', 'DENIED', 'ALLOWED'])
    expect(seen[0]).toMatchObject({
      summary: expect.stringContaining(
        'viewer@playground may not create accesslocks.kairship.io on the host',
      ),
      fix: expect.stringContaining('ClusterRole'),
    })
    expect(seen[3]?.fix).toContain(`the role Admin on all of ${world.instance}`)
  })
})

describe('an explanation of access', () => {
  it('names the missing link of somebody without a role, and after each step the next, until access is whole', async () => {
    const about = { user: 'eve', groups: ['team'], ...deployments('default') }
    const nothing = await explain(about)
    expect(nothing.decision).toBe('DENIED')
    expect(steps(nothing.links)).toEqual(['BINDING MISSING', 'KAIRSHIP MISSING', 'CONTROL_PLANE MISSING'])
    expect(nothing.first).toMatchObject({
      step: 'BINDING',
      reason: 'NoRole',
      fix: expect.stringContaining('give eve or one of its groups the role Viewer on the namespace default'),
    })

    await give('team', 'Viewer', { kind: 'Group', name: 'team' }, ['kube-public'])
    await eventually('the role is in effect', async () => {
      const { first } = await explain(about)
      return first?.reason === 'OtherNamespaces'
    })

    await give('team-too', 'Viewer', { kind: 'Group', name: 'team' })
    const whole = await eventually('the role is in effect', async () => {
      const answer = await explain(about)
      return answer.decision === 'ALLOWED' ? answer : undefined
    })
    expect(whole.first).toBeUndefined()
    expect(steps(whole.links)).toEqual(['BINDING FOUND', 'KAIRSHIP FOUND', 'CONTROL_PLANE FOUND'])
    expect(whole.links.at(-1)?.grants).toContainEqual(
      expect.objectContaining({
        subject: { kind: 'Group', name: 'team', namespace: '' },
        bindingKind: 'ClusterRoleBinding',
        bindingName: 'kairship:team-too',
        roleName: 'kairship:viewer',
      }),
    )
    const write = await explain({ ...about, verb: 'create' })
    expect([write.decision, write.first?.reason]).toEqual(['DENIED', 'RoleTooSmall'])
    expect(write.notes).toEqual([])
    expect(write.links.at(-1)?.message).toMatch(/which has these objects without this verb$/)
    expect(write.links.at(-1)?.message).not.toContain('system:authenticated')
  })

  it('says that the groups of somebody else were not given, where one of them may have the right', async () => {
    await give('team', 'Viewer', { kind: 'Group', name: 'team' })
    const about = { user: 'eve', ...deployments('default') }
    await eventually('the role is in effect', async () =>
      expect((await explain({ ...about, groups: ['team'] })).decision).toBe('ALLOWED'),
    )
    const { decision, notes, links } = await explain(about)
    expect([decision, notes]).toEqual(['DENIED', [expect.stringContaining('no groups of eve were given')]])
    expect(links.at(-1)).toMatchObject({ step: 'CONTROL_PLANE', reason: 'NoBinding' })
  })

  it('agrees with what happens, for each verb, namespace and wire', async () => {
    const { host } = world.world.playground
    await give('ned', 'Editor', { kind: 'User', name: 'ned' }, ['default'])
    const token = await host.issueToken({ name: 'ned' }, 3_600)
    await eventually('the role is in effect', async () =>
      expect(await proxied(token, resourcePath(TYPES.configMaps, { namespace: 'default' }))).toBe(200),
    )
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'by-ned' } }
    for (const namespace of ['default', 'kube-system', ''])
      for (const [verb, method, body] of [
        ['list', 'GET', undefined],
        ['create', 'POST', configMap],
      ] as const) {
        if (namespace === '' && verb === 'create') continue
        const path = resourcePath(TYPES.configMaps, namespace ? { namespace } : {})
        const status = await proxied(token, path, method, body)
        const { decision } = await explain({ user: 'ned', verb, resource: 'configmaps', namespace })
        expect([verb, namespace, decision]).toEqual([verb, namespace, status < 300 ? 'ALLOWED' : 'DENIED'])
      }
  })

  it('says of rights that RBAC in the control plane gives that no role binding is needed for them', async () => {
    const token = await hostUser(world.world.playground.host, 'passer', { 'instances/proxy': ['get'] })
    const rules = [{ verbs: ['list'], apiGroups: ['apps'], resources: ['deployments'] }]
    await postRbac(world.control, 'clusterroles', { metadata: { name: 'passer' }, rules })
    await bind(world.control, 'passer', 'passer')
    expect(await proxied(token, resourcePath(TYPES.deployments))).toBe(200)
    const answer = await explain({ user: 'passer', ...deployments('') })
    expect([answer.decision, ...steps(answer.links)]).toEqual([
      'ALLOWED',
      'BINDING NOT_NEEDED',
      'KAIRSHIP FOUND',
      'CONTROL_PLANE FOUND',
    ])
  })

  it('names the workspace by which a role comes, and the lock that takes it', async () => {
    const { local } = world.world.playground.host
    const post = (type: Parameters<typeof resourcePath>[0], kind: string, name: string, spec: object) =>
      local.request({
        ...{ method: 'POST', path: resourcePath(type) },
        body: { apiVersion: 'kairship.io/v1alpha1', kind, metadata: { name }, spec },
      })
    await post(WORKSPACES, 'Workspace', 'sales', { id: 71, alias: 'Sales' })
    await post(WORKSPACE_BINDINGS, 'WorkspaceBinding', `instance-${world.instance}`, {
      ...{ workspace: 'sales', instance: world.instance },
    })
    const about = { user: 'sam', groups: ['sellers'], ...deployments('default') }
    const without = await eventually('the instance belongs to the workspace', async () => {
      const answer = await explain(about)
      return answer.first?.step === 'WORKSPACE' ? answer : undefined
    })
    expect(steps(without.links).slice(0, 2)).toEqual(['WORKSPACE MISSING', 'BINDING MISSING'])
    expect(without.first).toMatchObject({
      reason: 'NoWorkspaceRole',
      message: expect.stringContaining('belongs to the workspace sales'),
      fix: expect.stringContaining('the role Viewer in the workspace sales'),
    })
    // Who sees the instance and no workspaces is not told of one.
    const token = await hostUser(world.world.playground.host, 'sid', { instances: ['get'] })
    const sid = world.calls.as(token)
    const own = await sid.read('explainAccess', { instance: world.instance, ...deployments('default') })
    sid.close()
    expect(steps(own.links)[0]).toBe('BINDING MISSING')
    expect(JSON.stringify(own)).not.toContain('sales')

    const subjects = [{ kind: 'Group', name: 'sellers' }]
    await post(WORKSPACE_ROLE_BINDINGS, 'WorkspaceRoleBinding', 'sellers', {
      ...{ workspace: 'sales', role: 'Viewer', subjects },
    })
    const whole = await eventually('the role is in effect', async () => {
      const answer = await explain(about)
      return answer.decision === 'ALLOWED' ? answer : undefined
    })
    expect(steps(whole.links)[0]).toBe('WORKSPACE FOUND')
    expect(whole.links[0]?.message).toContain('the WorkspaceRoleBinding "sellers" of the workspace sales')

    await post(ACCESS_LOCKS, 'AccessLock', 'sam', { user: 'sam', message: 'on leave' })
    const locked = await eventually('the lock is seen', async () => {
      const answer = await explain(about)
      return answer.decision === 'DENIED' ? answer : undefined
    })
    expect(locked.first).toMatchObject({ step: 'LOCK', reason: 'AccessLocked' })
    expect(locked.summary).toContain('on leave')
    await world.remove(local, ACCESS_LOCKS, { name: 'sam' })
    for (const [type, name] of [
      [WORKSPACE_ROLE_BINDINGS, 'sellers'],
      [WORKSPACE_BINDINGS, `instance-${world.instance}`],
      [WORKSPACES, 'sales'],
    ] as const)
      await world.remove(local, type, { name })
  })

  it('goes on into a member: the proxy, who may be impersonated, and the member’s RBAC', async () => {
    const [cluster = ''] = world.members
    const about = { user: 'mia', groups: ['crew'], cluster, ...deployments('default') }
    expect((await explain(about)).first?.reason).toBe('NoRole')
    await give('crew', 'Viewer', { kind: 'Group', name: 'crew' })
    const unnamed = await eventually('the role is in effect', async () => {
      const answer = await explain(about)
      return answer.first?.step === 'IMPERSONATION' ? answer : undefined
    })
    expect(unnamed.first).toMatchObject({
      reason: 'NotNamed',
      fix: expect.stringContaining('name the user mia itself'),
    })
    await give('mia', 'Viewer', { kind: 'User', name: 'mia' })
    const alone = { ...about, groups: ['crew', 'unnamed'] }
    const atMember = await eventually('the member knows mia', async () => {
      const answer = await explain(alone)
      return answer.first?.step === 'MEMBER' && answer.first.state === 'MISSING' ? answer : undefined
    })
    expect(atMember.decision).toBe('DENIED')
    await bind(world.member(cluster).local, 'mia', 'view')
    const token = await world.world.playground.host.issueToken(
      { name: 'mia', groups: ['crew', 'unnamed'] },
      3_600,
    )
    const path = `/apis/cluster.karmada.io/v1alpha1/clusters/${cluster}/proxy${resourcePath(TYPES.deployments, { namespace: 'default' })}`
    expect(await proxied(token, path)).toBe(200)
    const whole = await explain(alone)
    expect(whole.links[3]).toMatchObject({
      reason: 'NamedWithoutGroups',
      message: expect.stringMatching(/without the groups unnamed,/),
    })
    expect([whole.decision, ...steps(whole.links)]).toEqual([
      'ALLOWED',
      'BINDING FOUND',
      'KAIRSHIP FOUND',
      'CONTROL_PLANE FOUND',
      'IMPERSONATION FOUND',
      'MEMBER FOUND',
    ])
  })

  it('is for oneself without further rights, and about others for those who administer the instance', async () => {
    const { host } = world.world.playground
    await give('vic', 'Viewer', { kind: 'User', name: 'vic' })
    const vic = world.calls.as(await host.issueToken({ name: 'vic', groups: ['club'] }, 3_600))
    const own = await eventually('the role is in effect', async () => {
      const { ok, json } = await vic.overRest('explainAccess', {
        instance: world.instance,
        ...deployments(''),
      })
      return ok && json.decision === 'ALLOWED' ? json : undefined
    })
    expect([own.user, own.groups]).toEqual(['vic', expect.arrayContaining(['club'])])
    for (const other of [{ user: 'eve' }, { groups: ['team'] }, { user: 'vic', groups: ['team'] }]) {
      const request = { instance: world.instance, ...other, ...deployments('') }
      expect((await vic.overRest('explainAccess', request)).json.code).toBe(7)
    }
    const subjects = { instance: world.instance, ...deployments('') }
    expect((await vic.overRest('listAccessSubjects', subjects)).json.code).toBe(7)
    vic.close()
    await give('ada', 'Admin', { kind: 'User', name: 'ada' })
    const ada = world.calls.as(await host.issueToken({ name: 'ada' }, 3_600))
    await eventually('the role is in effect', async () => {
      const { ok } = await ada.overRest('explainAccess', { ...subjects, user: 'vic' })
      return ok
    })
    ada.close()
  })

  it('of an instance that one may not see is refused as of one that does not exist', async () => {
    const nobody = world.calls.as(await world.world.playground.host.issueToken({ name: 'nobody' }, 3_600))
    const refusals = []
    for (const instance of [world.instance, 'nowhere']) {
      const { json } = await nobody.overRest('explainAccess', { instance, ...deployments('') })
      refusals.push([json.code, json.message?.replaceAll(instance, 'X')])
    }
    expect(refusals[0]?.[0]).toBe(7)
    expect(refusals[1]).toEqual(refusals[0])
    nobody.close()
  })

  it.each([
    ['no resource', {}, 'resource'],
    ['a path beside a resource', { resource: 'pods', path: '/metrics' }, 'resource'],
    ['two subresources', { resource: 'pods/log/x' }, 'resource'],
    ['a namespace that is a path', { resource: 'pods', namespace: '../x' }, 'namespace'],
    ['a group that headers change', { resource: 'pods', groups: [' system:masters'] }, 'groups'],
    ['an empty group', { resource: 'pods', groups: [''] }, 'groups'],
  ])('of %s is refused, naming the field', async (_, fields, field) => {
    const { json } = await world.calls.overRest('explainAccess', {
      instance: world.instance,
      verb: 'get',
      ...fields,
    })
    expect(json.code).toBe(3)
    expect(JSON.stringify(json.details)).toContain(`"field":"${field}`)
  })

  it('answers for Kairship’s own resources without the control plane', async () => {
    const request = { user: 'eve', verb: 'create', group: 'kairship.io', resource: 'instances/kubeconfig' }
    const answer = await explain(request)
    expect([answer.decision, ...steps(answer.links)]).toEqual([
      'DENIED',
      'BINDING MISSING',
      'KAIRSHIP MISSING',
    ])
    expect(answer.first?.fix).toContain('the role Admin on all of')
  })
})

describe('the subjects with access', () => {
  it('are those whom a review allows, with the bindings, and whether they pass Kairship', async () => {
    await give('sue', 'Editor', { kind: 'User', name: 'sue' }, ['default'])
    const question = { verb: 'create', group: 'apps', resource: 'deployments', namespace: 'default' }
    const found = await eventually('the role is in effect', async () => {
      const answer = await world.calls.read('listAccessSubjects', { instance: world.instance, ...question })
      return answer.subjects.find((one: Named) => one.subject.name === 'sue')
    })
    expect(found.passesKairship).toBe(true)
    expect(found.grants).toEqual([
      expect.objectContaining({ bindingKind: 'RoleBinding', bindingNamespace: 'default' }),
    ])
    expect((await explain({ user: 'sue', ...question })).decision).toBe('ALLOWED')
    const elsewhere = { ...question, namespace: 'kube-system' }
    const { subjects } = await world.calls.read('listAccessSubjects', {
      instance: world.instance,
      ...elsewhere,
    })
    expect(subjects.map((one: Named) => one.subject.name)).not.toContain('sue')
  })
})
