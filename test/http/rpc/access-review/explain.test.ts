import { describe, expect, it } from 'vitest'
import { permissionDenied, unavailable } from '../../../../http/errors/failure.js'
import { type ExplainDependencies, explainAccess } from '../../../../http/rpc/access-review/explain.js'
import { readRbac } from '../../../../http/rpc/access-review/rbac-reader.js'
import type { AccessQuestion } from '../../../../http/rpc/access-review/servers-on-the-way.js'
import type { RbacSubject } from '../../../../karmada/rbac/subject.js'
import { Code } from '../../../../transcoding/code.js'
import { refusal } from '../../../actors/scripted-api.js'
import { fakeRoleBindings } from '../../fakes/role-bindings.js'

const ANN = { kind: 'User', name: 'ann' } as const
const MEMBER = '/apis/cluster.karmada.io/v1alpha1/clusters/m1/proxy'
const LIST = {
  ...{ verb: 'list', group: 'apps', resource: 'deployments', subresource: '', namespace: 'shop', name: '' },
}

/** A server's RBAC: one ClusterRole, bound to some; and what it says of every request. */
interface Server {
  readonly allows?: boolean
  readonly denies?: boolean
  readonly subjects?: readonly RbacSubject[]
  readonly rule?: object
  readonly fails?: Error
  readonly rbacFails?: Error
  /** How the read of the member m1 is refused. */
  readonly memberFails?: Error
}

/** An instance with the member m1, both as a test says, and Kairship's own decision. */
function world({
  control = {},
  member = {},
  kairship = true,
}: {
  control?: Server
  member?: Server
  kairship?: boolean
}) {
  const roleBindings = fakeRoleBindings()
  const requests: {
    readonly path: string
    readonly impersonate?: { readonly user: string }
    readonly body?: unknown
  }[] = []
  const answer = (server: Server, path: string) => {
    if (path.endsWith('/clusters/m1')) {
      if (server.memberFails) throw server.memberFails
      return {}
    }
    if (path.endsWith('reviews')) {
      if (server.fails) throw server.fails
      return {
        status: { allowed: server.allows ?? false, denied: server.denies ?? false, reason: 'so it is' },
      }
    }
    if (server.rbacFails) throw server.rbacFails
    const rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], ...server.rule }
    const metadata = { name: 'all' }
    if (path.endsWith('/clusterroles')) return { items: [{ metadata, rules: [rule] }] }
    if (path.endsWith('/clusterrolebindings'))
      return {
        items: [{ metadata, roleRef: { kind: 'ClusterRole', name: 'all' }, subjects: server.subjects ?? [] }],
      }
    return { items: [] }
  }
  const connection = {
    async request(request: (typeof requests)[number]) {
      requests.push(request)
      return request.path.startsWith(MEMBER) ? answer(member, request.path) : answer(control, request.path)
    },
  }
  const ending = new AbortController()
  const locked = { refusal: undefined as ReturnType<typeof permissionDenied> | undefined }
  const dependencies = {
    ownRequests: { connect: async () => connection },
    authorizer: { decide: async () => ({ allowed: kairship, reason: '' }) },
    roleBindings,
    locked: { refusal: () => locked.refusal },
  } as unknown as ExplainDependencies
  const call = {
    caller: { user: 'root', groups: [], extra: {} },
    signal: ending.signal,
  } as unknown as Parameters<typeof explainAccess>[1]
  const explain = (question: Partial<AccessQuestion> = {}) =>
    explainAccess(dependencies, call, {
      ...{
        instance: 'eu',
        subject: { user: 'ann', groups: ['team'], extra: {} },
        request: LIST,
        ofKairship: false,
      },
      action: { verb: 'get', resource: 'instances/proxy', name: 'eu' },
      ...question,
    })
  return { roleBindings, requests, locked, ending, explain }
}
type Explained = Awaited<ReturnType<ReturnType<typeof world>['explain']>>
const steps = ({ links }: Explained) => links.map(({ step, state, reason }) => `${step} ${state} ${reason}`)

describe('the role bindings of an explanation', () => {
  it.each([
    ['none', () => undefined, 'NoRole', 'the role Viewer on the namespace shop of eu'],
    [
      'one elsewhere',
      (give: Give) => give('Viewer', ['bank']),
      'OtherNamespaces',
      'the role Viewer on the namespace shop of eu',
    ],
  ] as const)('that give %s say so, and the smallest that helps', async (_, given, reason, fix) => {
    const { roleBindings, explain } = world({ kairship: false })
    given((role, namespaces) =>
      roleBindings.give('one', role, { instance: 'eu', subject: ANN, ...(namespaces && { namespaces }) }),
    )
    const { first } = await explain()
    expect(first).toMatchObject({ step: 'Binding', reason, fix: expect.stringContaining(fix) })
  })

  it.each([
    ['writing', { ...LIST, verb: 'create' }, 'create', 'the role Editor on the namespace shop of eu'],
    ['in a reserved namespace', { ...LIST, namespace: 'kube-system' }, 'get', 'the role Viewer on all of eu'],
    ['over all namespaces', { ...LIST, namespace: '' }, 'get', 'the role Viewer on all of eu'],
    [
      'of what no role includes',
      { ...LIST, group: 'example.io', resource: 'rigs', namespace: '', verb: 'impersonate' },
      'get',
      'the role Admin on all of eu',
    ],
  ])('%s name the role that helps', async (_, request, verb, fix) => {
    const { explain } = world({ kairship: false })
    const { first } = await explain({ request, action: { verb, resource: 'instances/proxy', name: 'eu' } })
    expect(first?.fix).toContain(fix)
  })

  describe('that would do', () => {
    const sentence = 'the InstanceRoleBinding "one" gives the role Viewer'
    const given = (allows: boolean, status: 'True' | 'False', why = 'namespaces "shop" not found') => {
      const { roleBindings, explain } = world({ control: { allows } })
      roleBindings.give('one', 'Viewer', { instance: 'eu', subject: ANN, namespaces: ['shop'] })
      roleBindings.give('other', 'Viewer', { instance: 'eu', subject: ANN, namespaces: ['bank'] })
      roleBindings.report('one', { status, reason: 'NotFound', message: why })
      roleBindings.report('other', { status: 'False', reason: 'NotFound', message: 'of the other' })
      return explain()
    }

    it('and are not in effect inside are missing, with the reason, where the control plane refuses', async () => {
      const answer = await given(false, 'False')
      expect(answer.first).toMatchObject({
        ...{ step: 'Binding', state: 'Missing', reason: 'NotInEffect' },
        message: `${sentence}, and is not in effect inside: eu has no namespace shop`,
        fix: expect.stringContaining('create the namespace shop in eu'),
      })
      expect(answer.summary).toContain('eu has no namespace shop')
    })

    it('and are not in effect for another cause name the condition that has it', async () => {
      const answer = await given(false, 'False', 'namespaces "bank" not found')
      expect(answer.first).toMatchObject({
        message: `${sentence}, and is not in effect inside: namespaces "bank" not found`,
        fix: expect.stringContaining('Materialized'),
      })
    })

    it.each([
      ['the control plane allows it all the same', true, 'False'],
      ['they are in effect', false, 'True'],
    ] as const)('are found where %s', async (_what, allows, status) => {
      const answer = await given(allows, status)
      expect(steps(answer)[0]).toBe('Binding Found RoleBinding')
      expect(answer.links[0]?.message).not.toContain('not in effect')
    })
  })

  it('on other namespaces that are too small besides are called too small', async () => {
    const { roleBindings, explain } = world({ kairship: false })
    roleBindings.give('one', 'Viewer', { instance: 'eu', subject: ANN, namespaces: ['bank'] })
    const { first } = await explain({
      request: { ...LIST, verb: 'create' },
      action: { verb: 'create', resource: 'instances/proxy', name: 'eu' },
    })
    expect(first?.reason).toBe('RoleTooSmall')
  })

  it.each([
    ['Viewer', undefined, 'get', 'instances/status', 'Binding Found RoleBinding'],
    ['Admin', undefined, 'create', 'instances/kubeconfig', 'Binding Found RoleBinding'],
    ['Admin', ['shop'], 'create', 'instances/kubeconfig', 'Binding Missing RoleTooSmall'],
  ] as const)(
    'of the role %s on %j lead to what is Kairship’s alone: %s %s',
    async (role, namespaces, verb, resource, link) => {
      const { roleBindings, explain } = world({ kairship: false })
      roleBindings.give('one', role, { instance: 'eu', subject: ANN, ...(namespaces && { namespaces }) })
      const request = { ...LIST, verb, group: 'kairship.io', resource, namespace: '' }
      const action = { verb, resource, name: 'eu' }
      expect(steps(await explain({ request, action, ofKairship: true }))[0]).toBe(link)
    },
  )

  it('that are missing stay so where nothing else is known', async () => {
    const answer = await world({}).explain({ ofKairship: true, action: undefined })
    expect([answer.decision, ...steps(answer)]).toEqual(['Undecided', 'Binding Missing NoRole'])
  })

  it('that are too small for a request are named, and what they give', async () => {
    const { roleBindings, explain } = world({ kairship: false })
    roleBindings.give('one', 'Viewer', { instance: 'eu', subject: ANN })
    const { first } = await explain({
      request: { ...LIST, verb: 'create' },
      action: { verb: 'create', resource: 'instances/proxy', name: 'eu' },
    })
    expect(first).toMatchObject({
      reason: 'RoleTooSmall',
      message: expect.stringContaining('gives the role Viewer on the whole instance'),
    })
  })

  it('count Secrets for Editors in a namespace, and not in all', async () => {
    const { roleBindings, explain } = world({ control: { allows: true } })
    roleBindings.give('one', 'Editor', { instance: 'eu', subject: ANN })
    const of = async (namespace: string) =>
      steps(await explain({ request: { ...LIST, group: '', resource: 'secrets', namespace } }))[0]
    expect(await of('shop')).toBe('Binding Found RoleBinding')
    expect(await of('')).toBe('Binding NotNeeded RoleTooSmall')
  })

  it('that are missing are not needed where everything else lets the request through, and are where Kairship refuses', async () => {
    const whole = await world({ control: { allows: true, subjects: [ANN] } }).explain()
    expect([whole.decision, whole.first, ...steps(whole)]).toEqual([
      ...['Allowed', undefined],
      ...['Binding NotNeeded NoRole', 'Kairship Found Allowed', 'ControlPlane Found Rbac'],
    ])
    const closed = await world({ control: { allows: true, subjects: [ANN] }, kairship: false }).explain()
    expect([closed.decision, closed.first?.step, ...steps(closed)]).toEqual([
      ...['Denied', 'Binding'],
      ...['Binding Missing NoRole', 'Kairship Missing Forbidden', 'ControlPlane Found Rbac'],
    ])
  })
})
type Give = (role: 'Viewer' | 'Editor' | 'Admin', namespaces?: readonly string[]) => void

describe('the lock of an explanation', () => {
  it('decides before everything else', async () => {
    const { locked, explain } = world({ control: { allows: true, subjects: [ANN] } })
    locked.refusal = permissionDenied('on leave', { metadata: { lock: 'leave-7' } })
    const answer = await explain()
    expect(answer).toMatchObject({
      decision: 'Denied',
      first: { step: 'Lock', reason: 'AccessLocked', fix: expect.stringContaining('"leave-7"') },
    })
  })

  it('that could not be read is mended after what is known to be missing', async () => {
    const { locked, explain } = world({ kairship: false })
    locked.refusal = unavailable('locks are not read yet')
    expect(await explain()).toMatchObject({ decision: 'Denied', first: { step: 'Binding' } })
  })

  it('that could not be read leaves it open', async () => {
    const { locked, explain } = world({ control: { allows: true, subjects: [ANN] } })
    locked.refusal = unavailable('locks are not read yet')
    expect(await explain()).toMatchObject({
      decision: 'Undecided',
      first: { step: 'Lock', state: 'Unknown', reason: 'NotRead' },
    })
  })
})

describe('the control plane’s link of an explanation', () => {
  it.each<[string, Server, string, string]>([
    ['allows by RBAC', { allows: true, subjects: [ANN] }, 'Found Rbac', 'Allowed'],
    ['allows past RBAC', { allows: true }, 'Found OtherAuthorizer', 'Allowed'],
    ['allows, and shows no RBAC', { allows: true, rbacFails: refusal(503, 'x') }, 'Found Allowed', 'Allowed'],
    ['denies what RBAC includes', { subjects: [ANN] }, 'Missing DeniedByServer', 'Denied'],
    [
      'denies what a binding has less of',
      { subjects: [ANN], rule: { verbs: ['get'] } },
      'Missing RoleTooSmall',
      'Denied',
    ],
    ['denies what no binding has', {}, 'Missing NoBinding', 'Denied'],
    ['allows and denies at once', { allows: true, denies: true }, 'Missing NoBinding', 'Denied'],
    ['does not answer', { fails: refusal(503, 'ServiceUnavailable') }, 'Unknown NotAsked', 'Undecided'],
  ])('is that of a server that %s', async (_, control, link, decision) => {
    const answer = await world({ control }).explain()
    expect([steps(answer).at(-1), answer.decision]).toEqual([`ControlPlane ${link}`, decision])
  })

  it('is without RBAC for the group that may do everything, and says so', async () => {
    const subject = { user: 'ann', groups: ['system:masters'], extra: {} }
    expect(steps(await world({ control: { allows: true } }).explain({ subject })).at(-1)).toBe(
      'ControlPlane Found Masters',
    )
  })

  it('says which part of RBAC was not read', async () => {
    const { unread } = await world({
      control: { allows: true, rbacFails: refusal(503, 'x', 'away') },
    }).explain()
    expect(unread).toEqual([expect.stringMatching(/^RBAC of the control plane: /)])
  })

  it('is not made up where the call has ended, or where something is wrong in Kairship', async () => {
    const { explain } = world({ control: { fails: new TypeError('x is not a function') } })
    await expect(explain()).rejects.toThrow()
    const { explain: late, ending } = world({ control: { fails: refusal(503, 'ServiceUnavailable') } })
    ending.abort(new Error('the caller has gone'))
    await expect(late()).rejects.toThrow('the caller has gone')
  })

  it('is explained by all pages of RBAC, and by that of the namespace which is asked about', async () => {
    const asked: string[] = []
    const connection = {
      async request({ path, query }: { path: string; query: { continue?: string } }) {
        asked.push(path.replace('/apis/rbac.authorization.k8s.io/v1/', ''))
        const name = query.continue ?? 'first'
        return { items: [{ metadata: { name } }], metadata: name === 'first' ? { continue: 'second' } : {} }
      },
    } as never
    const { clusterRoles, roles } = await readRbac(connection, { prefix: '' }, '')
    expect([clusterRoles.map(({ metadata }) => metadata.name), roles]).toEqual([['first', 'second'], []])
    expect([...new Set(asked)].sort()).toEqual(['clusterrolebindings', 'clusterroles'])
    await readRbac(connection, { prefix: '' }, 'shop')
    expect(asked).toContain('namespaces/shop/rolebindings')
  })

  it('is not there for what is Kairship’s alone', async () => {
    const { requests, explain } = world({})
    const answer = await explain({ ofKairship: true })
    expect([answer.decision, steps(answer).length, requests]).toEqual(['Allowed', 2, []])
  })
})

describe('the way into a member', () => {
  const open = (...subjects: readonly RbacSubject[]): Server => ({ allows: true, subjects })

  it('asks the control plane for the member’s proxy, and the member as the subject with the groups that reach it', async () => {
    const { requests, explain } = world({ control: open(ANN), member: open(ANN) })
    const answer = await explain({ cluster: 'm1' })
    expect([answer.decision, ...steps(answer).slice(2)]).toEqual([
      'Allowed',
      'ControlPlane Found Rbac',
      'Impersonation Found NamedWithoutGroups',
      'Member Found Rbac',
    ])
    expect(requests.find(({ path }) => path.endsWith('/subjectaccessreviews'))?.body).toMatchObject({
      spec: {
        user: 'ann',
        groups: ['team', 'system:authenticated'],
        resourceAttributes: { verb: 'get', resource: 'clusters', subresource: 'proxy', name: 'm1' },
      },
    })
    const own = requests.find(({ path }) => path.endsWith('/selfsubjectaccessreviews'))
    expect(own?.path.startsWith(MEMBER)).toBe(true)
    expect(own?.impersonate).toMatchObject({ user: 'ann', groups: [] })
    expect(own?.body).toMatchObject({ spec: { resourceAttributes: { verb: 'list', namespace: 'shop' } } })
    const rbac = requests.filter(({ path }) => path.startsWith(`${MEMBER}/apis/rbac`))
    expect(rbac.map(({ impersonate }) => impersonate?.user)).toEqual(Array(4).fill('root'))
  })

  it.each<[string, Server, string[]]>([
    [
      'the control plane denies',
      { subjects: [ANN] },
      ['ControlPlane Missing DeniedByServer', 'Impersonation Found NamedWithoutGroups'],
    ],
    [
      'nothing names the user',
      open({ kind: 'Group', name: 'team' }),
      ['ControlPlane Found Rbac', 'Impersonation Missing NotNamed'],
    ],
    [
      'who is named is not known',
      { allows: true, rbacFails: refusal(503, 'x') },
      ['ControlPlane Found Allowed', 'Impersonation Unknown NotRead'],
    ],
  ])('ends where %s, and the member is not asked', async (_, control, links) => {
    const { requests, explain } = world({ control, member: open(ANN) })
    const answer = await explain({ cluster: 'm1' })
    expect(steps(answer).slice(2)).toEqual([...links, 'Member Unknown NotAsked'])
    expect(answer.decision).not.toBe('Allowed')
    expect(requests.filter(({ path }) => path.startsWith(MEMBER))).toEqual([])
  })

  it('is refused for a member that is not there, which is read as the caller', async () => {
    const { requests, explain } = world({ control: { ...open(ANN), memberFails: refusal(404, 'NotFound') } })
    await expect(explain({ cluster: 'm1' })).rejects.toMatchObject({
      code: Code.NOT_FOUND,
      message: 'eu has no member "m1"',
    })
    expect(requests.find(({ path }) => path.endsWith('/clusters/m1'))?.impersonate?.user).toBe('root')
  })

  it('is explained to a caller who may not read the member', async () => {
    const control = { ...open(ANN), memberFails: refusal(403, 'Forbidden') }
    const answer = await world({ control, member: open(ANN) }).explain({ cluster: 'm1' })
    expect(answer.decision).toBe('Allowed')
  })

  it('leads to the verdict of the member', async () => {
    const both = await world({ control: open(ANN), member: { allows: true, denies: true } }).explain({
      cluster: 'm1',
    })
    expect(both.decision).toBe('Denied')
    const answer = await world({ control: open(ANN), member: {} }).explain({ cluster: 'm1' })
    expect([answer.decision, answer.first?.step]).toEqual(['Denied', 'Member'])
    expect(steps(answer).at(-1)).toBe('Member Missing NoBinding')
  })
})
