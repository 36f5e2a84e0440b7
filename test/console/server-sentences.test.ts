import { describe, expect, it } from 'vitest'
import { chinese } from '../../console/words/server-zh.js'
import { UNKNOWN_HERE } from '../../http/rpc/access-review/access-subjects.js'
import type { ExplainDependencies } from '../../http/rpc/access-review/explain.js'
import { reviewHostAccess } from '../../http/rpc/access-review/host-review.js'
import { notesOf } from '../../http/rpc/access-review/preview.js'
import { whoAmI } from '../../http/rpc/access-review/who-am-i.js'
import { ASSUMPTIONS } from '../../http/rpc/placement/rehearse.js'
import { fixOfRefusals } from '../../karmada/explain/refusals.js'
import { summaryOf, trace } from '../../karmada/explain/trace.js'
import { causeOf, sentences } from '../../machines/instance/history.js'
import { doing } from '../../machines/instance/task.js'
import { fakeRoleBindings } from '../http/fakes/role-bindings.js'
import { ANN, LIST, world } from '../http/rpc/access-review/explained-world.js'
import { inNorth, notApplied, unclaimed, withWork } from '../karmada/explain/traces.js'
import { member, propagated, SINCE } from '../karmada/explain/world.js'

/** A sentence in Chinese, with what others said in it in quotes. */
const chineseOf = (text: string, others?: string): string | undefined =>
  chinese
    .sentence(text, others)
    ?.map(part => (typeof part === 'string' ? part : `“${part.quoted}”`))
    .join('')

/** A sentence that is not in Chinese. */
const inChinese = (text: string | undefined, others?: string): string[] => {
  const own = chinese.sentence(text ?? '', others)?.filter(part => typeof part === 'string')
  // An English sentence has these between its words; Kubernetes' names do not.
  return own === undefined || / (?:is|the|of|and|gives|not|or|by) /.test(own.join('')) ? [text ?? ''] : []
}

describe('a sentence of the server that a Chinese page shows', () => {
  it('is in Chinese where it says who somebody is', () => {
    const roleBindings = fakeRoleBindings()
    const caller = { user: 'ann', groups: [], extra: {}, credential: { instance: 'eu' } }
    const { notes = [] } = whoAmI({ roleBindings, graceMs: 1 }, { caller, isOpen: () => true })
    expect(notes).toHaveLength(2)
    expect(notes.flatMap(text => inChinese(text))).toEqual([])
  })

  it('is in Chinese where it says what nobody may do on the host, and what helps', async () => {
    const dependencies = {
      authorizer: { decide: async () => ({ allowed: false, reason: '' }) },
      roleBindings: fakeRoleBindings(),
    } as unknown as ExplainDependencies
    const call = { caller: { user: 'ann', groups: [], extra: {} } } as unknown as Parameters<
      typeof reviewHostAccess
    >[1]
    const [review] = await reviewHostAccess(dependencies, call, [
      { verb: 'create', resource: 'instances', name: '' },
    ])
    expect([review?.summary, review?.fix].flatMap(text => inChinese(text))).toEqual([])
    expect(chineseOf(review?.summary ?? '')).toBe(
      'ann 不能在宿主集群上对 instances.kairship.io 执行 create。',
    )
  })

  it.each<[string, ((give: ReturnType<typeof fakeRoleBindings>) => void) | undefined, object]>([
    ['no role', undefined, {}],
    [
      'a role elsewhere',
      it => it.give('one', 'Viewer', { instance: 'eu', subject: ANN, namespaces: ['bank'] }),
      {},
    ],
    [
      'too small a role',
      it => it.give('one', 'Viewer', { instance: 'eu', subject: ANN }),
      { verb: 'create' },
    ],
    [
      'what no role includes',
      undefined,
      { group: 'rbac.authorization.k8s.io', resource: 'clusterroles', verb: 'escalate', namespace: '' },
    ],
  ])('is in Chinese where it explains a refusal: %s', async (_, given, request) => {
    const { roleBindings, explain } = world({ kairship: false })
    given?.(roleBindings)
    const { summary, links, first } = await explain({ request: { ...LIST, ...request } })
    const said = links.flatMap(({ message, quoted }) => inChinese(message, quoted))
    expect([...inChinese(summary, first?.quoted), ...inChinese(first?.fix), ...said]).toEqual([])
  })

  it('is in Chinese where it says what an answer leaves out', () => {
    const notes = [...UNKNOWN_HERE, ...notesOf([], []), ...ASSUMPTIONS]
    expect(notes.length).toBeGreaterThan(7)
    expect(notes.flatMap(text => inChinese(text))).toEqual([])
  })

  it('is in Chinese where it says why an instance moved, and what is done for it', () => {
    const moved = Object.keys(sentences).map(type => causeOf({ type }))
    const tried = Object.keys(doing).flatMap(task =>
      ['done', 'error'].map(how => causeOf({ type: `xstate.${how}.actor.${task}.effect` })),
    )
    expect(moved.length + tried.length).toBeGreaterThan(30)
    expect([...moved, ...tried].flatMap(text => inChinese(text))).toEqual([])
  })

  it('names what it does not know as it came, whatever its name', () => {
    expect(
      chineseOf('member m1 lets ann get pods: RoleBinding "a" gives User ann the Role "b", constructor'),
    ).toBe('成员 m1允许 ann 对 pods 执行 get：RoleBinding "a" 授予 User ann Role "b"，“constructor”')
  })

  it('is in Chinese where a trace says how each step stands, and what helps', () => {
    const worlds = [
      propagated(),
      unclaimed(),
      { ...propagated(), works: [] },
      { ...propagated(), clusters: [member('south')] },
      { ...propagated(), binding: undefined as never },
      { ...propagated(), members: new Map() },
      ...['x already exists', 'no matches for kind', 'forbidden', 'namespaces "a" not found', 'odd'].map(
        message => withWork(propagated(), 'north', notApplied(message)),
      ),
      inNorth(({ status: _, ...found }) => found),
      inNorth(found => ({ ...found, metadata: { ...found.metadata, labels: {} } })),
      inNorth(found => ({ ...found, metadata: { ...found.metadata, deletionTimestamp: SINCE } })),
    ]
    const said = worlds.flatMap(world => {
      const found = trace(world)
      const fixes = found.links.flatMap(({ fix }) => inChinese(fix ?? 'Scheduling is suspended.'))
      const links = found.links.flatMap(({ message, quoted }) =>
        message === quoted ? [] : inChinese(message, quoted),
      )
      return [...inChinese(summaryOf(found, world.wanted), found.first?.quoted), ...links, ...fixes]
    })
    expect(said).toEqual([])
    const verdict = (...filters: string[]) => ({
      cluster: 'north',
      refusals: filters.map(filter => ({ filter, because: '' })),
    })
    const filters = [
      'APIEnablement',
      'ClusterAffinity',
      'ClusterEviction',
      'SpreadConstraint',
      'TaintToleration',
    ]
    const affinities = ['WorkloadAffinity', 'WorkloadAntiAffinity', 'Other']
    const helps = [
      fixOfRefusals('NoClusterFit', [], []),
      fixOfRefusals('NoClusterFit', [verdict('ClusterAffinity')] as never, ['nroth']),
      ...['Unschedulable', 'QuotaExceeded'].map(reason =>
        fixOfRefusals(reason, [verdict('Other')] as never, []),
      ),
      ...[...filters, ...affinities].map(filter =>
        fixOfRefusals('NoClusterFit', [verdict(filter)] as never, []),
      ),
    ]
    expect(helps.flatMap(text => inChinese(text))).toEqual([])
  })

  it('stays as Kubernetes and Karmada wrote it', () => {
    const theirs = [
      'secrets is forbidden: User "ann" cannot list resource "secrets"',
      '0/3 clusters are available',
    ]
    expect(theirs.map(text => chineseOf(text))).toEqual([undefined, undefined])
  })

  it.each([
    [
      'one that is as long as a hostile member likes',
      `the token is for the instance "${'u'.repeat(4_001)}" alone`,
    ],
    [
      'one that repeats how ours begins',
      `${'the InstanceRoleBinding "a" gives the role Viewer on the namespace '.repeat(59)}; no more`,
    ],
    ['one with many gaps', `Kairship lets ${'a of b '.repeat(560)}\n`],
    ['one of many words', `ann may get ${'x in y '.repeat(560)}\n`],
  ])('stays as it is: %s', (_, text) => {
    // Where its parts are tried in all ways there are, this never ends.
    expect(chineseOf(text)).toBeUndefined()
  })
})
