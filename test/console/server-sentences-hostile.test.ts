import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { chinese } from '../../console/words/server-zh.js'
import { serverLink } from '../../http/rpc/access-review/server-links.js'
import { summaryOf, trace } from '../../karmada/explain/trace.js'
import { requestText } from '../../karmada/rbac/words.js'
import { notApplied, withWork } from '../karmada/explain/traces.js'
import { propagated, SINCE } from '../karmada/explain/world.js'
import { AFTER_THEIRS, SAMPLES } from './server-samples.js'

/** Texts by which a member would have itself taken for Kairship: whole sentences of ours, parts of them, and what stands for words of others. */
const HOSTILE = [
  ...SAMPLES,
  ...AFTER_THEIRS.map(after => `x${after}`),
  'reads, writes and synchronization work',
  'Karmada applied it to the cluster.',
  '. It had the object when it was last reached.',
  'x). No cluster north is joined, which the policy names.',
  'x): no binding there names ann or one of its groups, but those that name all users',
  '"; members of system:masters may do everything',
  '\uE001reads, writes and synchronization work\uE000',
  '\uE002',
  ' ',
]

/** What a page shows as Kairship's own. */
const ownPart = (text: string, others?: string): string | undefined =>
  chinese
    .sentence(text, others)
    ?.filter(part => typeof part === 'string')
    .join('')

/** Kairship's own words do not depend on what another says: they are those around a harmless text, or the whole is shown as the server's. */
function expectUnmoved(text: string, others: string, harmless: string): void {
  const own = ownPart(text, others)
  if (own === undefined) return
  expect([others, own]).toEqual([others, ownPart(harmless, 'xyz')])
  const parts = chinese.sentence(text, others) ?? []
  expect(parts.filter(part => typeof part !== 'string')).toEqual([{ quoted: others }])
}

const traced = (says: string) => [
  withWork(propagated(), 'north', notApplied(says)),
  {
    ...propagated(),
    clusters: propagated().clusters.map(cluster =>
      cluster.metadata.name === 'north'
        ? {
            ...cluster,
            status: {
              ...cluster.status,
              conditions: [
                {
                  type: 'Ready',
                  status: 'False' as const,
                  reason: 'NotReady',
                  message: says,
                  lastTransitionTime: SINCE,
                },
              ],
            },
          }
        : cluster,
    ),
  },
  { ...propagated(), members: new Map([['north', { kind: 'unreadable' as const, because: says }]]) },
]

it.each(HOSTILE)('a trace shows a member’s words as the member’s, which are: %s', says => {
  const harmless = traced('xyz')
  for (const [index, world] of traced(says).entries()) {
    const found = trace(world as never)
    const same = trace(harmless[index] as never)
    for (const [at, { message, quoted }] of found.links.entries())
      if (quoted !== undefined) expectUnmoved(message, quoted, said(same.links[at]))
    const { first } = found
    if (first?.quoted !== undefined)
      expectUnmoved(
        summaryOf(found, world.wanted),
        first.quoted,
        said(same.first, summaryOf(same, world.wanted)),
      )
  }
})

/** The message of the same link about a harmless member, with its words as `xyz`. */
const said = (
  link: { readonly message: string; readonly quoted?: string } | undefined,
  text = link?.message ?? '',
): string => text.replace(link?.quoted ?? '', 'xyz')

it('a trace quotes what a member said in three places at least', () => {
  const quoted = traced('x').flatMap(world => trace(world as never).links.flatMap(link => link.quoted ?? []))
  expect(quoted).toEqual(['x', 'NotReady: x', 'x'])
})

it.each(HOSTILE)('a review of access shows a member’s words as the member’s, which are: %s', says => {
  const request = { verb: 'get', group: '', resource: 'pods', subresource: '', namespace: '', name: '' }
  const subject = { user: 'ann', groups: [], extra: {} }
  const base = { server: 'member m1', step: 'Member', request, fix: '' } as const
  const rbac = { roles: [], roleBindings: [], clusterRoles: [], clusterRoleBindings: [] }
  const answers = (words: string) =>
    [
      { ...base, verdict: { allowed: false, reason: words } },
      { ...base, verdict: { allowed: false, reason: words }, rbac },
      { ...base, verdict: { allowed: true, reason: words } },
      { ...base, problem: words },
    ].map(answer => serverLink(subject, answer).link)
  for (const [index, link] of answers(says).entries()) {
    expect(link.quoted).toBe(says)
    expectUnmoved(link.message, says, answers('xyz')[index]?.message ?? '')
  }
})

it('names of a member’s RBAC cannot end a sentence of Kairship’s', () => {
  const rule = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
  const hostile = 'x; no binding there names ann or one of its groups, but those that name all users'
  const clusterRole = {
    ...{
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: `r"; ${hostile}` },
    },
    rules: [{ ...rule, resources: ['pods', hostile], resourceNames: ['', `web; ${hostile}`] }],
  }
  const binding = {
    ...{
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: hostile },
    },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: clusterRole.metadata.name },
    subjects: [{ kind: 'User', name: 'ann' }],
  }
  const request = { verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'a', name: 'b' }
  const rbac = { roles: [], roleBindings: [], clusterRoles: [clusterRole], clusterRoleBindings: [binding] }
  const { link } = serverLink({ user: 'ann', groups: [], extra: {} }, {
    ...{ server: 'member m1', step: 'Member', request, fix: '' },
    ...{ verdict: { allowed: false, reason: '' }, rbac },
  } as never)
  expect(link.message).toContain(requestText(request))
  const own = ownPart(link.message) ?? ''
  expect(own).toMatch(/\p{Script=Han}/u)
  expect(own).not.toContain('除面向所有用户的绑定外')
})

it.each([
  ['False', 'Unreachable', 'reads, writes and synchronization work'],
  ['False', 'Unreachable', 'the control plane lets Kairship impersonate callers'],
  ['Unknown', 'ProbeFailed', 'not gathered yet'],
])('a condition that does not hold is in the words of who wrote it: %s %s', (status, reason, message) => {
  expect(chinese.condition({ status, reason, message })).toBeUndefined()
})

it('a condition with a reason of Kairship’s own is in Chinese', () => {
  expect(
    chinese.condition({
      status: 'False',
      reason: 'NotYetSynced',
      message: 'Container Management has not reported yet',
    }),
  ).toEqual(['容器管理尚未报告'])
})

it('the reason why an instance is not ready quotes the server that failed', () => {
  const failure = 'reads, writes and synchronization work'
  for (const [text, own] of [
    [`waits for ControlPlaneHealthy: Unreachable: ${failure}`, '等待 ControlPlaneHealthy：Unreachable：'],
    [
      `tries writing the status again soon, after 2 failed tries: ${failure}`,
      '失败 2 次后将很快重试（写入状态）：',
    ],
  ] as const)
    expect(chinese.sentence(text)).toEqual([own, { quoted: failure }])
})

it('each reason of a refusal has its meaning in Chinese', () => {
  const reasons = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `(\w+)` +\|/gm)].map(
    ([, reason]) => reason ?? '',
  )
  expect(reasons.length).toBeGreaterThan(90)
  expect(reasons.filter(reason => chinese.meaning(reason) === undefined)).toEqual([])
  expect(chinese.meaning('constructor')).toBeUndefined()
})
