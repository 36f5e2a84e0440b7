import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { previewRoleBindings } from '../../../../http/rpc/access-review/role-binding-preview.js'
import type { ServedKind } from '../../../../http/rpc/access-review/served-kinds.js'
import { identityOf } from '../../../../http/rpc/access-review/subject-change.js'
import type { RbacBinding, RbacObjects, RbacRole } from '../../../../karmada/rbac/rbac-objects.js'
import { walkRbac } from '../../../../karmada/rbac/walk.js'
import { directBinding } from '../../../../manifests/effective-binding.js'
import { renderRbac } from '../../../../manifests/instance-rbac.js'
import type { InstanceRoleBinding } from '../../../../manifests/instance-role-binding.js'

const NAMESPACES = ['shop', 'bank', 'kube-system']
const VERBS = ['get', 'list', 'create', 'delete']
const kind = (group: string, resource: string, name: string, namespaced = true): ServedKind => ({
  ...{ group, version: 'v1', resource, kind: name, namespaced, verbs: VERBS },
})
const KINDS = [
  kind('', 'secrets', 'Secret'),
  kind('', 'pods/log', 'Pod'),
  kind('apps', 'deployments', 'Deployment'),
  kind('cluster.karmada.io', 'clusters', 'Cluster', false),
  kind('rbac.authorization.k8s.io', 'roles', 'Role'),
]
const namespaces = { present: NAMESPACES, holdsMemberCredentials: () => false }
const SUBJECTS = [
  { kind: 'User', name: 'ann' },
  { kind: 'Group', name: 'team' },
  { kind: 'ServiceAccount', name: 'bot', namespace: 'shop' },
] as const

const bindingOf = (name: string) =>
  fc
    .record({
      role: fc.constantFrom('Viewer' as const, 'Editor' as const, 'Admin' as const),
      within: fc.option(fc.subarray(NAMESPACES, { minLength: 1 }), { nil: undefined }),
      subjects: fc.subarray([...SUBJECTS], { minLength: 1 }),
    })
    .map(
      ({ role, within, subjects }): InstanceRoleBinding => ({
        ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name } },
        spec: { instance: 'eu', role, subjects, ...(within && { namespaces: within }) },
      }),
    )

/** The RBAC that Kairship makes of bindings, and nothing else. */
function made(bindings: readonly InstanceRoleBinding[]): RbacObjects {
  const objects = renderRbac('eu', bindings.map(directBinding), namespaces).map(({ object }) => object)
  const of = <T>(wanted: string) => objects.filter(({ kind }) => kind === wanted) as unknown as readonly T[]
  return {
    clusterRoles: of<RbacRole>('ClusterRole'),
    clusterRoleBindings: of<RbacBinding>('ClusterRoleBinding'),
    roles: [],
    roleBindings: of<RbacBinding>('RoleBinding'),
  }
}

describe('a preview of role bindings', () => {
  it('says of each subject, kind, verb and namespace exactly what changes, whether the RBAC is made already or not', () => {
    fc.assert(
      fc.property(bindingOf('one'), bindingOf('two'), fc.boolean(), (one, two, isMade) => {
        const [before, after] = [[one].map(directBinding), [one, two].map(directBinding)]
        const rbac = isMade ? made([one]) : made([])
        const { subjects } = previewRoleBindings(
          'eu',
          { before, after },
          { subjects: SUBJECTS, proposed: directBinding(two) },
          { rbac, kinds: KINDS, namespaces },
        )
        const [was, is] = [made([one]), made([one, two])]
        for (const { subject, kinds } of subjects)
          for (const served of KINDS)
            for (const namespace of served.namespaced ? ['', ...NAMESPACES] : ['']) {
              const said = (pick: 'gained' | 'lost') =>
                kinds
                  .filter(row => row.kind === served && ['', namespace].includes(row.namespace))
                  .flatMap(row => row[pick])
              const [resource = '', subresource = ''] = served.resource.split('/')
              for (const verb of VERBS) {
                const request = { verb, group: served.group, resource, subresource, namespace, name: '' }
                const may = (objects: RbacObjects) =>
                  walkRbac(objects, identityOf(subject), request).grants.length > 0
                const about = [subject.name, served.resource, namespace, verb]
                if (!may(was) && may(is))
                  expect([...about, said('gained')]).toContainEqual(expect.arrayContaining([verb]))
                if (may(was) === may(is) && !may(was))
                  expect([...about, said('gained').includes(verb)]).toContain(false)
                if (may(was) && !may(is))
                  expect([...about, said('lost')]).toContainEqual(expect.arrayContaining([verb]))
              }
            }
      }),
      { numRuns: 60 },
    )
  })

  const binding = (name: string, spec: Partial<InstanceRoleBinding['spec']>) =>
    directBinding({
      ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'InstanceRoleBinding', metadata: { name } },
      spec: { instance: 'eu', role: 'Viewer', subjects: [SUBJECTS[0]], ...spec },
    })

  it('says of a namespace what it adds to what holds everywhere, and nothing of kinds without namespaces or of others', () => {
    const one = binding('one', {})
    const two = binding('two', { role: 'Editor', namespaces: ['shop'] })
    const { subjects } = previewRoleBindings(
      'eu',
      { before: [one], after: [one, two] },
      { subjects: SUBJECTS, proposed: two },
      { rbac: made([]), kinds: KINDS, namespaces },
    )
    const [ann, team, bot] = subjects
    expect(
      ann?.kinds
        .filter(
          ({ kind, namespace }) => ['deployments', 'clusters'].includes(kind.resource) && namespace !== '',
        )
        .map(({ kind, gained, lost, kept }) => [kind.resource, gained, lost, kept]),
    ).toEqual([['deployments', ['create', 'delete'], [], []]])
    expect(ann?.kairship).toEqual([
      { resource: 'instances/proxy', gained: ['create', 'update', 'patch', 'delete'], lost: [] },
    ])
    expect([team?.kairship, bot?.kairship]).toEqual([[], []])
    const removal = previewRoleBindings(
      'eu',
      { before: [one, two], after: [one] },
      { subjects: SUBJECTS },
      { rbac: made([]), kinds: KINDS, namespaces },
    )
    const lost = removal.subjects[0]?.kinds.find(
      ({ kind, namespace }) => kind.resource === 'deployments' && namespace === 'shop',
    )?.lost
    expect(lost).toEqual(['create', 'delete'])
  })

  it('says in a namespace nothing again that holds everywhere, whether it is given or taken', () => {
    const all = [binding('one', {}), binding('two', { role: 'Admin', namespaces: ['shop'] })]
    const inside = { rbac: made([]), kinds: KINDS, namespaces }
    const [given, taken] = [
      previewRoleBindings('eu', { before: [], after: all }, { subjects: SUBJECTS }, inside),
      previewRoleBindings('eu', { before: all, after: [] }, { subjects: SUBJECTS }, inside),
    ]
    const rows = ({ subjects }: typeof given) =>
      subjects[0]?.kinds
        .filter(
          ({ kind, namespace }) =>
            namespace === 'shop' && ['deployments', 'clusters'].includes(kind.resource),
        )
        .map(({ kind, gained, lost }) => [kind.resource, gained, lost])
    expect(rows(given)).toEqual([['deployments', ['create', 'delete'], []]])
    expect(rows(taken)).toEqual([['deployments', [], ['create', 'delete']]])
  })

  it('counts a group as nobody else, also where a user has its name', () => {
    expect(identityOf({ kind: 'Group', name: 'team' })).toEqual({ user: '', groups: ['team'] })
  })

  it('withholds by the bindings that will be there, and not by the one that is replaced', () => {
    const old = binding('one', { role: 'Admin', subjects: [SUBJECTS[2]] })
    const proposed = binding('one', { role: 'Editor', namespaces: ['shop'] })
    const preview = (after: readonly ReturnType<typeof binding>[]) =>
      previewRoleBindings(
        'eu',
        { before: [old], after },
        { subjects: SUBJECTS, proposed },
        { rbac: made([]), kinds: KINDS, namespaces },
      ).withheld
    expect([preview([proposed]), preview([old, proposed])]).toEqual([[], ['shop']])
  })

  it('of the same bindings changes nothing', () => {
    fc.assert(
      fc.property(bindingOf('one'), one => {
        const same = [directBinding(one)]
        const { subjects } = previewRoleBindings(
          'eu',
          { before: same, after: same },
          { subjects: SUBJECTS, proposed: directBinding(one) },
          { rbac: made([one]), kinds: KINDS, namespaces },
        )
        for (const { kinds, kairship } of subjects) {
          expect(kinds.flatMap(({ gained, lost }) => [...gained, ...lost])).toEqual([])
          expect(kairship).toEqual([])
        }
      }),
      { numRuns: 60 },
    )
  })
})
