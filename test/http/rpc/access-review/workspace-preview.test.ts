import { create } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { notFound, unavailable } from '../../../../http/errors/failure.js'
import type { PreviewDependencies } from '../../../../http/rpc/access-review/preview.js'
import { previewWorkspaceRoleBinding } from '../../../../http/rpc/access-review/workspace-preview.js'
import { renderRbac } from '../../../../manifests/instance-rbac.js'
import { PreviewWorkspaceRoleBindingRequestSchema } from '../../../../proto/gen/kairship/access_review_pb.js'
import { fakeRoleBindings } from '../../fakes/role-bindings.js'

const PIA = { kind: 'User', name: 'pia' } as const
const BOB = { kind: 'User', name: 'bob' } as const
const EDITOR = { role: 'Editor', subjects: [PIA] }

/** Instances with the namespaces shop and bank, which serve Deployments and have the RBAC of the roles in effect. */
function world({ kinds = ['deployments'], verbs = ['list', 'create'] } = {}) {
  const roleBindings = fakeRoleBindings()
  const namespaces = { present: ['shop', 'bank'], holdsMemberCredentials: () => false }
  /** Instances of which something was read. */
  const reading = new Set<string>()
  /** What requests to instances wait for. */
  let held: { readonly opened: Promise<void> } | undefined
  const hold = () => {
    let open: () => void = () => undefined
    held = { opened: new Promise(resolve => (open = resolve)) }
    return open
  }
  const counted: string[] = []
  const refused = new Map<string, Error>()
  const connection = (instance: string) => {
    const made = renderRbac(instance, roleBindings.of(instance), namespaces).map(({ object }) => object)
    const items = (kind: string) => ({ items: made.filter(object => object.kind === kind) })
    const answers: Readonly<Record<string, () => object>> = {
      '/apis': () => ({ groups: [{ name: 'apps', preferredVersion: { version: 'v1' } }] }),
      '/api/v1': () => ({ resources: [] }),
      '/apis/apps/v1': () => ({
        resources: kinds.map(name => ({ name, kind: name, namespaced: true, verbs })),
      }),
      '/api/v1/namespaces': () => ({ items: namespaces.present.map(name => ({ metadata: { name } })) }),
      '/apis/rbac.authorization.k8s.io/v1/clusterroles': () => items('ClusterRole'),
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings': () => items('ClusterRoleBinding'),
      '/apis/rbac.authorization.k8s.io/v1/rolebindings': () => items('RoleBinding'),
    }
    return {
      async request({ path }: { readonly path: string }) {
        reading.add(instance)
        if (held) await held.opened
        return answers[path]?.() ?? { items: [] }
      },
    }
  }
  const connected: string[] = []
  const dependencies = {
    ownRequests: {
      connect: async (_: unknown, instance: string) => {
        connected.push(instance)
        const error = refused.get(instance)
        if (error) throw error
        return connection(instance)
      },
    },
    roleBindings,
    objects: {
      list: async (_: unknown, { instance }: { readonly instance: string }) => {
        counted.push(instance)
        return { pagination: { total: 3 } }
      },
    },
  } as unknown as PreviewDependencies
  const ended = new AbortController()
  const call = { signal: ended.signal } as unknown as Parameters<typeof previewWorkspaceRoleBinding>[1]
  const preview = async (request: object) =>
    previewWorkspaceRoleBinding(
      dependencies,
      call,
      create(PreviewWorkspaceRoleBindingRequestSchema, { workspace: 'sales', ...request }),
    )
  /** Gives a member a role on so many instances. */
  const belong = (instances: number) => {
    for (let i = 10; i < 10 + instances; i++)
      roleBindings.giveMembers('bobs', 'Viewer', { instance: `i${i}`, subject: BOB, workspace: 'sales' })
  }
  return { roleBindings, refused, connected, reading, hold, counted, ended, belong, preview }
}
type Answer = Awaited<ReturnType<ReturnType<typeof world>['preview']>>
/** `instance subject namespace +verbs -verbs` of Deployments. */
const rows = ({ instances = [] }: Answer) =>
  instances.flatMap(({ instance, subjects = [] }) =>
    subjects.flatMap(({ subject, kinds = [] }) =>
      kinds.map(({ namespace, gained = [], lost = [] }) =>
        [
          instance,
          subject?.name,
          namespace || 'all',
          ...gained.map(v => `+${v}`),
          ...lost.map(v => `-${v}`),
        ].join(' '),
      ),
    ),
  )

describe('a preview of a WorkspaceRoleBinding', () => {
  it('says for each instance of the workspace what its subjects gain, on all of it or in the namespaces that belong', async () => {
    const { roleBindings, preview } = world()
    roleBindings.giveMembers('bobs', 'Viewer', { instance: 'eu', subject: BOB, workspace: 'sales' })
    roleBindings.giveMembers('bobs', 'Viewer', {
      ...{ instance: 'us', subject: BOB, workspace: 'sales', namespaces: ['shop'] },
    })
    roleBindings.giveMembers('others', 'Viewer', { instance: 'ap', subject: BOB, workspace: 'ops' })
    const answer = await preview({ grant: EDITOR })
    expect(rows(answer)).toEqual(['eu pia all +list +create', 'us pia shop +list +create'])
    expect(answer.instances?.map(({ namespaces }) => namespaces)).toEqual([[], ['shop']])
    expect(answer.instances?.[0]?.subjects?.[0]).toMatchObject({
      readableGained: 1,
      kinds: [{ objects: 3n }],
    })
    expect(answer.summary).toBe(
      'Rights change on 2 of 2 instances of the workspace sales that were looked at.',
    )
  })

  it('of a binding that is there compares it with what it would be, and with its removal', async () => {
    const { roleBindings, preview } = world()
    roleBindings.giveMembers('pias', 'Editor', { instance: 'eu', subject: PIA, workspace: 'sales' })
    expect(rows(await preview({ name: 'pias', grant: { role: 'Viewer', subjects: [PIA, BOB] } }))).toEqual([
      'eu pia all -create',
      'eu bob all +list',
    ])
    expect(rows(await preview({ name: 'pias' }))).toEqual(['eu pia all -list -create'])
    expect(rows(await preview({ name: 'pias', grant: EDITOR }))).toEqual([])
  })

  it('counts what a subject has by another binding as kept, not as gained or lost', async () => {
    const { roleBindings, preview } = world()
    roleBindings.giveMembers('pias', 'Viewer', { instance: 'eu', subject: PIA, workspace: 'sales' })
    roleBindings.give('direct', 'Viewer', { instance: 'eu', subject: PIA })
    expect(rows(await preview({ name: 'pias' }))).toEqual([])
  })

  it('looks at twenty instances, and says how many it leaves out', async () => {
    const { connected, belong, preview } = world()
    belong(25)
    const { instances, totalInstances, notes } = await preview({ grant: EDITOR })
    expect([instances?.length, totalInstances, connected.length]).toEqual([20, 25, 20])
    expect(notes).toContain('5 instances are left out')
  })

  it('reads two instances at once, as each holds the RBAC of a control plane in memory', async () => {
    const { reading, hold, belong, preview } = world()
    belong(5)
    const open = hold()
    const answer = preview({ grant: EDITOR })
    await new Promise(setImmediate)
    expect([...reading]).toEqual(['i10', 'i11'])
    open()
    expect((await answer).instances).toHaveLength(5)
    expect(reading.size).toBe(5)
  })

  it('shares ten thousand rows of kinds among all instances and subjects, and says how many it leaves out', async () => {
    const kinds = Array.from({ length: 12 }, (_, i) => `kind-${i}`)
    const { belong, preview } = world({ kinds })
    belong(20)
    const subjects = Array.from({ length: 49 }, (_, i) => ({ kind: 'User', name: `user-${i}` }))
    const answer = await preview({ name: 'new', grant: { role: 'Viewer', subjects: [PIA, ...subjects] } })
    expect(rows(answer)).toHaveLength(10_000)
    expect(answer.notes).toContain('2000 rows of kinds that change are left out')
  })

  it('leaves no row out, and says nothing of it, where all have a place', async () => {
    const { belong, preview } = world()
    belong(20)
    const { notes = [] } = await preview({ grant: EDITOR })
    expect(notes.filter(note => note.includes('left out'))).toEqual([])
  })

  it('shares two hundred counts of objects among all instances, and says what it did not count', async () => {
    const kinds = Array.from({ length: 12 }, (_, i) => `kind-${i}`)
    const { belong, counted, preview } = world({ kinds })
    belong(20)
    const { instances } = await preview({ grant: EDITOR })
    expect(counted).toHaveLength(200)
    expect(new Set(instances?.flatMap(({ unread }) => unread))).toEqual(
      new Set(['objects of 2 more kinds: not counted']),
    )
  })

  it('counts an instance on which nothing but the way through Kairship changes as one that changes', async () => {
    const { belong, preview } = world({ verbs: ['list'] })
    belong(1)
    const answer = await preview({ name: 'bobs', grant: { role: 'Editor', subjects: [BOB] } })
    expect(rows(answer)).toEqual([])
    expect(answer.instances?.[0]?.subjects?.[0]?.kairship).not.toEqual([])
    expect(answer.summary).toContain('Rights change on 1 of 1 instances')
    expect((await preview({ name: 'bobs', grant: { role: 'Viewer', subjects: [BOB] } })).summary).toContain(
      'Rights change on 0 of 1 instances',
    )
  })

  it('names an instance that cannot be read with the reason, and looks at the others', async () => {
    const { roleBindings, refused, preview } = world()
    for (const instance of ['ap', 'eu', 'us'])
      roleBindings.giveMembers('bobs', 'Viewer', { instance, subject: BOB, workspace: 'sales' })
    refused.set('ap', unavailable('ap cannot be reached'))
    refused.set('us', notFound('instance "us" is not there'))
    const answer = await preview({ grant: EDITOR })
    expect(rows(answer)).toEqual(['eu pia all +list +create'])
    expect(answer.instances?.map(({ unread }) => unread)).toEqual([
      ['ap cannot be reached'],
      [],
      ['instance "us" is not there'],
    ])
    expect(answer.summary).toContain('2 could not be read')
  })

  it('ends with its call, and takes that for no instance that cannot be read', async () => {
    const { roleBindings, refused, ended, preview } = world()
    roleBindings.giveMembers('bobs', 'Viewer', { instance: 'eu', subject: BOB, workspace: 'sales' })
    ended.abort(new Error('the caller has gone'))
    refused.set('eu', unavailable('aborted'))
    await expect(preview({ grant: EDITOR })).rejects.toThrow('the caller has gone')
  })

  it('takes the binding of an instance that has its name for another one', async () => {
    const { roleBindings, preview } = world()
    roleBindings.giveMembers('pias', 'Viewer', { instance: 'eu', subject: PIA, workspace: 'sales' })
    roleBindings.give('pias', 'Editor', { instance: 'eu', subject: PIA })
    expect(rows(await preview({ name: 'pias' }))).toEqual([])
  })

  it('names no namespaces of an instance that belongs as a whole, whatever of it belongs besides', async () => {
    const { roleBindings, preview } = world()
    roleBindings.giveMembers('bobs', 'Viewer', {
      ...{ instance: 'eu', subject: BOB, workspace: 'sales', namespaces: ['shop'] },
    })
    roleBindings.giveMembers('bobs', 'Viewer', { instance: 'eu', subject: BOB, workspace: 'sales' })
    const answer = await preview({ grant: EDITOR })
    expect(answer.instances?.map(({ namespaces }) => namespaces)).toEqual([[]])
    expect(rows(answer)).toEqual(['eu pia all +list +create'])
  })

  it('compares fifty subjects, and says how many it leaves out', async () => {
    const { roleBindings, preview } = world()
    roleBindings.giveMembers('bobs', 'Viewer', { instance: 'eu', subject: BOB, workspace: 'sales' })
    const subjects = Array.from({ length: 53 }, (_, i) => ({ kind: 'User', name: `user-${i}` }))
    const { instances, notes } = await preview({ grant: { role: 'Viewer', subjects } })
    expect(instances?.[0]?.subjects).toHaveLength(50)
    expect(notes).toContain('3 subjects are left out')
  })

  it('notes whom a binding holds that nobody has chosen, as it would be and as it is', async () => {
    const { roleBindings, preview } = world()
    const everyone = { kind: 'Group', name: 'system:authenticated' } as const
    const note = expect.stringMatching(/^the group system:authenticated is everyone who can log in/)
    roleBindings.giveMembers('bobs', 'Viewer', { instance: 'eu', subject: BOB, workspace: 'sales' })
    expect((await preview({ grant: { role: 'Viewer', subjects: [everyone] } })).notes).toContainEqual(note)
    expect((await preview({ grant: EDITOR })).notes).not.toContainEqual(note)
    roleBindings.giveMembers('all', 'Viewer', { instance: 'eu', subject: everyone, workspace: 'sales' })
    expect((await preview({ name: 'all', grant: EDITOR })).notes).toContainEqual(note)
  })

  it('hides no defect of Kairship behind an instance that cannot be read', async () => {
    const { roleBindings, refused, preview } = world()
    roleBindings.giveMembers('bobs', 'Viewer', { instance: 'eu', subject: BOB, workspace: 'sales' })
    refused.set('eu', new TypeError('undefined is no function'))
    await expect(preview({ grant: EDITOR })).rejects.toThrow('undefined is no function')
  })

  it('of a workspace that does not exist, or to which nothing belongs, says that nothing changes', async () => {
    const { connected, preview } = world()
    const { summary, instances } = await preview({ grant: EDITOR })
    expect(summary).toContain('there is no Workspace sales on the host')
    expect([instances, connected]).toEqual([[], []])
  })

  it('refuses the removal of a binding that is not in effect there, and a grant that the host would refuse', async () => {
    const { roleBindings, preview } = world()
    roleBindings.giveMembers('bobs', 'Viewer', { instance: 'eu', subject: BOB, workspace: 'ops' })
    await expect(preview({ name: 'bobs' })).rejects.toThrow(
      'no WorkspaceRoleBinding "bobs" is in effect in the workspace sales',
    )
    await expect(preview({ grant: { role: 'Owner', subjects: [] } })).rejects.toThrow('grant.role')
  })
})
