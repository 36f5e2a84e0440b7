import { describe, expect, it } from 'vitest'
import { permissionDenied, unavailable } from '../../../../http/errors/failure.js'
import { ANN, LIST, steps, world } from './explained-world.js'

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
