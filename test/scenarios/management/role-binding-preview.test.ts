import { afterEach, describe, expect, it } from 'vitest'
import {
  INSTANCE_ROLE_BINDINGS,
  type InstanceRole,
  type Subject,
} from '../../../manifests/instance-role-binding.js'
import { resourcePath } from '../../../manifests/kube.js'
import { WORKSPACE_BINDINGS, WORKSPACES } from '../../../manifests/workspace.js'
import { WORKSPACE_ROLE_BINDINGS } from '../../../manifests/workspace-role-binding.js'
import { AccessReviewService } from '../../../proto/gen/kairship/access_review_pb.js'
import { eventually } from '../support/eventually.js'
import { hostUser } from '../support/host-user.js'
import { ManagedWorld } from '../support/managed-world.js'

const world = new ManagedWorld(AccessReviewService)
type Type = Parameters<typeof resourcePath>[0]
const stored: [Type, string][] = []

/** Stores an object of Kairship's on the host, until the test is over. */
async function store(type: Type, kind: string, name: string, spec: object): Promise<void> {
  await world.world.playground.host.local.request({
    ...{ method: 'POST', path: resourcePath(type) },
    body: { apiVersion: 'kairship.io/v1alpha1', kind, metadata: { name }, spec },
  })
  stored.push([type, name])
}
const give = (name: string, role: InstanceRole, subject: Subject, namespaces?: readonly string[]) =>
  store(INSTANCE_ROLE_BINDINGS, 'InstanceRoleBinding', name, {
    ...{ instance: world.instance, role, subjects: [subject], ...(namespaces && { namespaces }) },
  })
afterEach(async () => {
  for (const [type, name] of stored.splice(0).reverse())
    await world.remove(world.world.playground.host.local, type, { name })
})

/** An explanation for the administrator, over both wires. */
const explain = (request: object) =>
  world.calls.read('explainAccess', { instance: world.instance, ...request })

/** What a preview says of a kind in a scope. */
interface Row {
  readonly resource: string
  readonly namespace: string
  readonly gained: readonly string[]
  readonly lost: readonly string[]
  readonly kept: readonly string[]
  readonly objects?: string
}

describe('a preview of a role binding', () => {
  const preview = (request: object) =>
    world.calls.rest('previewRoleBinding', { instance: world.instance, ...request })
  const rowOf = ({ kinds }: { readonly kinds: readonly Row[] }, resource: string, namespace: string) =>
    kinds.find(row => row.resource === resource && row.namespace === namespace)

  it('notes whom the binding holds that nobody has chosen', async () => {
    const of = async (subject: object) =>
      (await preview({ grant: { role: 'Viewer', namespaces: ['default'], subjects: [subject] } })).notes
    const note = expect.stringMatching(/^the group system:authenticated is everyone who can log in/)
    expect(await of({ kind: 'Group', name: 'system:authenticated' })).toContainEqual(note)
    expect(await of({ kind: 'Group', name: 'chosen' })).not.toContainEqual(note)
  })

  it('notes namespaces that the instance does not have yet', async () => {
    const of = async (...namespaces: string[]) =>
      (await preview({ grant: { role: 'Viewer', namespaces, subjects: [{ kind: 'User', name: 'pia' }] } }))
        .notes
    expect(await of('default', 'to-come')).toContain(
      `${world.instance} has no namespace to-come yet: the role begins there when it is created`,
    )
    const seven = Array.from({ length: 7 }, (_, i) => `to-come-${i}`)
    expect(await of(...seven)).toContainEqual(expect.stringContaining('to-come-4 and 2 more yet'))
    expect((await of('default')).filter((note: string) => note.includes('yet'))).toEqual([])
  })

  it('says what its subject gains, which is what it may do once the binding is stored', async () => {
    const subject = { kind: 'User', name: 'pia' } as const
    const before = await preview({ grant: { role: 'Editor', namespaces: ['default'], subjects: [subject] } })
    const [change] = before.subjects
    expect(rowOf(change, 'deployments', 'default')).toMatchObject({
      gained: expect.arrayContaining(['create', 'delete', 'list']),
      lost: [],
      kept: [],
      objects: expect.stringMatching(/^[0-9]+$/),
    })
    expect(rowOf(change, 'deployments', '')).toBeUndefined()
    expect(rowOf(change, 'secrets', 'default')?.gained).toContain('get')
    expect(change.kairship).toContainEqual({
      resource: 'instances/proxy',
      gained: ['get', 'create', 'update', 'patch', 'delete'],
      lost: [],
    })
    await give('pia', 'Editor', subject, ['default'])
    for (const row of (change.kinds as Row[]).filter(({ resource }) => !resource.includes('/')).slice(0, 3))
      for (const verb of row.gained) {
        const { group = '' } = change.kinds.find((one: Row) => one === row)
        const question = { user: 'pia', verb, group, resource: row.resource, namespace: row.namespace }
        await eventually(
          `pia may ${verb} ${row.resource}`,
          async () => (await explain(question)).decision === 'ALLOWED',
        )
      }
    const removal = await preview({ name: 'pia' })
    expect(rowOf(removal.subjects[0], 'deployments', 'default')?.lost).toContain('create')
    expect(removal.subjects[0].writableLost).toBe(change.writableGained)
    const smaller = { role: 'Viewer', namespaces: ['default'], subjects: [subject] }
    const changed = await preview({ name: 'pia', grant: smaller })
    expect(rowOf(changed.subjects[0], 'deployments', 'default')).toMatchObject({
      gained: [],
      lost: expect.arrayContaining(['create']),
      kept: expect.arrayContaining(['list']),
    })
  })

  it('names the namespaces in which the role gives less, because they are reserved', async () => {
    const subjects = [{ kind: 'Group', name: 'ops' }]
    const namespaces = ['default', 'kube-system']
    const editor = await preview({ grant: { role: 'Editor', namespaces, subjects } })
    expect(editor.withheldNamespaces).toEqual(['kube-system'])
    expect(rowOf(editor.subjects[0], 'secrets', 'kube-system')).toBeUndefined()
    expect(rowOf(editor.subjects[0], 'configmaps', 'kube-system')?.gained).toContain('create')
    const admin = await preview({ grant: { role: 'Admin', namespaces, subjects } })
    expect(rowOf(admin.subjects[0], 'configmaps', 'kube-system')).toBeUndefined()
  })

  it.each([
    ['a role that there is not', { role: 'Owner', subjects: [{ kind: 'User', name: 'x' }] }, 'grant.role'],
    ['no subject', { role: 'Viewer', subjects: [] }, 'grant.subjects'],
    [
      'a subject of another kind',
      { role: 'Viewer', subjects: [{ kind: 'Robot', name: 'x' }] },
      'grant.subjects',
    ],
    [
      'an account without a namespace',
      { role: 'Viewer', subjects: [{ kind: 'ServiceAccount', name: 'x' }] },
      'grant.subjects',
    ],
  ])('with %s is refused, naming the field', async (_, grant, field) => {
    const { json } = await world.calls.overRest('previewRoleBinding', { instance: world.instance, grant })
    expect(json.code).toBe(3)
    expect(JSON.stringify(json.details)).toContain(`"field":"${field}`)
  })

  it('of the removal of a binding that is not there is refused', async () => {
    const { json } = await world.calls.overRest('previewRoleBinding', {
      instance: world.instance,
      name: 'none',
    })
    expect(json.code).toBe(5)
  })
})

describe('a preview of a WorkspaceRoleBinding', () => {
  it('says on both wires what changes on the instances of the workspace, which is so once it is stored', async () => {
    const subjects = [{ kind: 'User', name: 'wes' }]
    const grant = { role: 'Editor', subjects }
    const preview = (request: object) =>
      world.calls.read('previewWorkspaceRoleBinding', { workspace: 'sales', ...request })
    expect((await preview({ grant })).summary).toContain('there is no Workspace sales')
    await store(WORKSPACES, 'Workspace', 'sales', { id: 72, alias: 'Sales' })
    const bound = { workspace: 'sales', instance: world.instance }
    await store(WORKSPACE_BINDINGS, 'WorkspaceBinding', `instance-${world.instance}`, bound)
    const before = await eventually('the instance belongs to the workspace', async () => {
      const answer = await preview({ grant })
      return answer.instances.length > 0 ? answer : undefined
    })
    expect(before.instances).toHaveLength(1)
    const [{ instance, subjects: changes }] = before.instances
    expect(instance).toBe(world.instance)
    const row = changes[0].kinds.find((one: Row) => one.resource === 'deployments' && one.namespace === '')
    expect(row).toMatchObject({ gained: expect.arrayContaining(['create', 'list']), lost: [] })
    await store(WORKSPACE_ROLE_BINDINGS, 'WorkspaceRoleBinding', 'wes', { workspace: 'sales', ...grant })
    const question = { user: 'wes', verb: 'create', group: 'apps', resource: 'deployments', namespace: '' }
    await eventually(
      'wes may create Deployments',
      async () => (await explain(question)).decision === 'ALLOWED',
    )
    const removal = await preview({ name: 'wes' })
    const [lost] = removal.instances[0].subjects
    expect(lost.writableLost).toBe(changes[0].writableGained)
  })

  it('is refused to who may ask about some instances alone', async () => {
    const token = await hostUser(world.world.playground.host, 'local-admin', {})
    await give('local-admin', 'Admin', { kind: 'User', name: 'local-admin' })
    const grant = { role: 'Viewer', subjects: [{ kind: 'User', name: 'x' }] }
    const calls = world.calls.as(token)
    try {
      await eventually('local-admin may ask about this instance', async () => {
        const { json } = await calls.overRest('previewRoleBinding', { instance: world.instance, grant })
        return json.summary !== undefined
      })
      const { json } = await calls.overRest('previewWorkspaceRoleBinding', { workspace: 'sales', grant })
      expect(json.code).toBe(7)
    } finally {
      calls.close()
    }
  })
})
