import { describe, expect, it } from 'vitest'
import type { Action } from '../../../../http/identity/authorize.js'
import type { ExplainDependencies } from '../../../../http/rpc/access-review/explain.js'
import { reviewHostAccess } from '../../../../http/rpc/access-review/host-review.js'
import { AccessDecision } from '../../../../proto/gen/kairship/access_review_pb.js'
import { fakeRoleBindings } from '../../fakes/role-bindings.js'

/** A host that lets nobody do anything but list locks. */
function world() {
  const asked: Action[] = []
  const dependencies = {
    ownRequests: { connect: async () => Promise.reject(new Error('no control plane is asked')) },
    authorizer: {
      decide: async (_caller: unknown, action: Action) => {
        asked.push(action)
        const allowed = 'resource' in action && action.resource === 'accesslocks' && action.verb === 'list'
        return { allowed, reason: allowed ? 'by ClusterRole watcher' : 'no RBAC' }
      },
    },
    roleBindings: fakeRoleBindings(),
    locked: { refusal: () => undefined },
  } as unknown as ExplainDependencies
  const call = {
    caller: { user: 'ann', groups: ['crew'], extra: {} },
    signal: new AbortController().signal,
  } as unknown as Parameters<typeof reviewHostAccess>[1]
  const review = (...actions: { verb: string; resource: string; name?: string }[]) =>
    reviewHostAccess(
      dependencies,
      call,
      actions.map(action => ({ name: '', ...action })),
    )
  return { review, asked }
}

describe('a review of actions on the host', () => {
  it('answers one for each action, in their order, with the reason of the host and who can help', async () => {
    const { review } = world()
    const reviews = await review(
      { verb: 'delete', resource: 'accesslocks', name: 'leaver' },
      { verb: 'list', resource: 'accesslocks' },
      { verb: 'create', resource: 'instances' },
    )
    expect(reviews).toEqual([
      {
        decision: AccessDecision.DENIED,
        summary: 'ann may not delete accesslocks.kairship.io leaver on the host: no RBAC.',
        fix: expect.stringMatching(/^give ann or one of its groups a ClusterRole on the host/),
      },
      {
        decision: AccessDecision.ALLOWED,
        summary: 'ann may list accesslocks.kairship.io on the host: by ClusterRole watcher.',
      },
      {
        decision: AccessDecision.DENIED,
        summary: 'ann may not create instances.kairship.io on the host: no RBAC.',
        fix: expect.stringContaining('no role on an instance does'),
      },
    ])
  })

  it('names the role that is missing where a role on the instance would give it', async () => {
    const { review, asked } = world()
    const [answer] = await review({ verb: 'create', resource: 'instances/kubeconfig', name: 'eu' })
    expect(answer).toMatchObject({
      decision: AccessDecision.DENIED,
      summary: expect.stringContaining('no role binding of eu names ann or one of its groups'),
      fix: 'give ann or one of its groups the role Admin on all of eu by an InstanceRoleBinding',
    })
    expect(asked).toContainEqual({ verb: 'create', resource: 'instances/kubeconfig', name: 'eu' })
  })

  it.each([
    [[], /^actions: has 0 actions/],
    [Array.from({ length: 101 }, () => ({ verb: 'get', resource: 'instances' })), /has 101 actions/],
    [[{ verb: '', resource: 'instances' }], /actions\[0\]\.verb: is ""/],
    [
      [
        { verb: 'get', resource: 'instances' },
        { verb: 'get', resource: 'a/b/c' },
      ],
      /actions\[1\]\.resource/,
    ],
    [[{ verb: 'get', resource: 'instances', name: '../x' }], /actions\[0\]\.name/],
    [[{ verb: 'get', resource: 'instances', name: 'x'.repeat(1_025) }], /has 1025 characters/],
  ])('refuses %# with the field that is wrong, before anybody is asked', async (actions, message) => {
    const { review, asked } = world()
    await expect(async () => review(...actions)).rejects.toThrow(message)
    expect(asked).toEqual([])
  })
})
