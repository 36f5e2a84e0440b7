import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AccessRequest } from '../../../karmada/rbac/policy-rule.js'
import type { RbacBinding, RbacObjects, RbacRole } from '../../../karmada/rbac/rbac-objects.js'
import type { Identity } from '../../../karmada/rbac/subject.js'
import { rulesFor, subjectsWith, walkRbac } from '../../../karmada/rbac/walk.js'
import { grantText, missText } from '../../../karmada/rbac/words.js'
import type { JsonObject } from '../../../playground/apimachinery/json.js'
import { Authorizer, RBAC_COLLECTIONS } from '../../../playground/apiserver/access/authorizer.js'
import { Store } from '../../../playground/apiserver/store/store.js'
import { accessRequests, identities, rbacObjects } from './rbac-worlds.js'

const rbac = 'rbac.authorization.k8s.io/v1'

/** The embedded API server's authorizer over these objects. */
async function authorizerOf(objects: RbacObjects): Promise<Authorizer> {
  const store = new Store(() => 0)
  for (const [kind, id] of Object.entries(RBAC_COLLECTIONS))
    for (const object of objects[kind as keyof RbacObjects]) {
      const { namespace, name } = object.metadata
      const key = namespace ? `${namespace}/${name}` : name
      await store.write(store.collection(id), key, () => ({ put: object as unknown as JsonObject }))
    }
  return new Authorizer(store)
}

const asked = ({ user, groups }: Identity, request: AccessRequest) => ({
  user: { name: user, uid: '', groups, extra: {} },
  isResourceRequest: !('path' in request),
  ...{ group: '', version: '', resource: '', subresource: '', namespace: '', name: '', path: '' },
  ...request,
})

describe('a walk of RBAC', () => {
  it('finds a grant exactly where the API server allows the request, and in the binding that it names', async () => {
    await fc.assert(
      fc.asyncProperty(
        rbacObjects,
        fc.array(fc.tuple(identities, accessRequests), { minLength: 1, maxLength: 20 }),
        async (objects, questions) => {
          const authorizer = await authorizerOf(objects)
          for (const [identity, request] of questions) {
            const { grants, nearMisses } = walkRbac(objects, identity, request)
            const { allowed, reason } = authorizer.authorize(asked(identity, request))
            expect(grants.length > 0).toBe(allowed)
            const named = grants.map(({ binding }) => binding.metadata.name)
            if (allowed) expect(named.some(name => reason.includes(`"${name}`))).toBe(true)
            const bindings = [...grants, ...nearMisses].map(({ binding }) => binding)
            expect(new Set(bindings).size).toBe(bindings.length)
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('names as subjects exactly those who are allowed, each alone', async () => {
    await fc.assert(
      fc.asyncProperty(
        rbacObjects,
        identities,
        accessRequests,
        async (objects, { user, groups }, request) => {
          const authorizer = await authorizerOf(objects)
          const subjects = subjectsWith(objects, request).map(({ subject }) =>
            subject.kind === 'ServiceAccount'
              ? `User system:serviceaccount:${subject.namespace}:${subject.name}`
              : `${subject.kind} ${subject.name}`,
          )
          const alone = (identity: Identity) => authorizer.authorize(asked(identity, request)).allowed
          expect(subjects.includes(`User ${user}`)).toBe(alone({ user, groups: [] }))
          for (const group of groups)
            expect(subjects.includes(`Group ${group}`)).toBe(alone({ user: '', groups: [group] }))
        },
      ),
      { numRuns: 200 },
    )
  })

  it('counts rules of a namespace beside those that hold everywhere', async () => {
    await fc.assert(
      fc.asyncProperty(rbacObjects, identities, async (objects, identity) => {
        const authorizer = await authorizerOf(objects)
        const { user } = asked(identity, { verb: '', path: '' })
        for (const namespace of ['', 'shop'])
          expect(rulesFor(objects, identity, namespace).length).toBe(
            authorizer.rulesOf(user, namespace).length,
          )
      }),
      { numRuns: 100 },
    )
  })
})

const EMPTY: RbacObjects = { clusterRoles: [], clusterRoleBindings: [], roles: [], roleBindings: [] }
const clusterRole = (name: string, more: Partial<RbacRole> = {}): RbacRole => ({
  ...{ apiVersion: rbac, kind: 'ClusterRole' },
  ...more,
  metadata: { name, ...more.metadata },
})
const bound = (role: string, namespace?: string): RbacBinding => ({
  apiVersion: rbac,
  kind: namespace ? 'RoleBinding' : 'ClusterRoleBinding',
  metadata: { name: `${role}s`, ...(namespace && { namespace }) },
  roleRef: { kind: 'ClusterRole', name: role },
  subjects: [{ kind: 'Group', name: 'team' }],
})
const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] }
const team = { user: 'ann', groups: ['team'] }
const getPod = { verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'shop', name: 'web' }

describe('what a walk says', () => {
  it('of a rule that was aggregated: where it is written down', () => {
    const objects = {
      ...EMPTY,
      clusterRoles: [
        clusterRole('view', {
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { to: 'view' } }] },
          rules: [pods],
        }),
        clusterRole('view-pods', { metadata: { name: 'view-pods', labels: { to: 'view' } }, rules: [pods] }),
      ],
      roleBindings: [bound('view', 'shop')],
    }
    expect(walkRbac(objects, team, getPod).grants.map(grantText)).toEqual([
      'RoleBinding "shop/views" gives Group "team" the ClusterRole "view" (aggregated from ClusterRole "view-pods"), whose rule is get on pods of the core group',
    ])
  })

  it.each([
    ['Role', 'which does not exist', undefined],
    ['Verb', 'which has these objects without this verb', [{ ...pods, verbs: ['list'] }]],
    ['Name', 'which has this only for objects of other names', [{ ...pods, resourceNames: ['api'] }]],
    ['Rule', 'which does not have these objects', [{ ...pods, resources: ['secrets'] }]],
    ['Rule', 'which does not have these objects', []],
  ])('of a binding that lacks the %s: %s', (lacks, words, rules) => {
    const objects = {
      ...EMPTY,
      clusterRoles: rules ? [clusterRole('reader', { rules })] : [],
      clusterRoleBindings: [bound('reader')],
    }
    const { grants, nearMisses } = walkRbac(objects, team, getPod)
    expect(grants).toEqual([])
    expect(nearMisses.map(one => [one.lacks, missText(one)])).toEqual([
      [lacks, `ClusterRoleBinding "readers" gives Group "team" the ClusterRole "reader", ${words}`],
    ])
  })

  it('of a RoleBinding of another namespace: nothing', () => {
    const objects = {
      ...EMPTY,
      clusterRoles: [clusterRole('reader', { rules: [pods] })],
      roleBindings: [bound('reader', 'bank')],
    }
    expect(walkRbac(objects, team, getPod)).toEqual({ grants: [], nearMisses: [] })
  })

  it('of a ServiceAccount without a namespace: it is in that of its RoleBinding, and nobody in a ClusterRoleBinding', () => {
    const subjects = [{ kind: 'ServiceAccount', name: 'bot' }]
    const bot = { user: 'system:serviceaccount:shop:bot', groups: [] }
    const roles = { ...EMPTY, clusterRoles: [clusterRole('reader', { rules: [pods] })] }
    const inShop = { ...roles, roleBindings: [{ ...bound('reader', 'shop'), subjects }] }
    expect(walkRbac(inShop, bot, getPod).grants).toHaveLength(1)
    expect(
      walkRbac({ ...roles, clusterRoleBindings: [{ ...bound('reader'), subjects }] }, bot, getPod).grants,
    ).toEqual([])
  })

  it('of lists that an API server leaves out or sets to null: they are empty', () => {
    const objects = {
      ...EMPTY,
      clusterRoles: [clusterRole('reader', { rules: null })],
      clusterRoleBindings: [bound('reader'), { ...bound('other'), subjects: null }],
    }
    expect(walkRbac(objects, team, getPod).nearMisses).toHaveLength(1)
  })
})
