import fc from 'fast-check'
import { expect, it } from 'vitest'
import { originOf } from '../../../../manifests/effective-binding.js'
import type {
  InstanceRole,
  InstanceRoleBinding,
  Subject,
} from '../../../../manifests/instance-role-binding.js'
import type { Workspace, WorkspaceBinding } from '../../../../manifests/workspace.js'
import type { WorkspaceRoleBinding } from '../../../../manifests/workspace-role-binding.js'
import {
  instanceRoleBinding,
  roleBindingIndex,
  workspace,
  workspaceBinding,
  workspaceRoleBinding,
} from './watched-roles.js'

const INSTANCES = ['eu', 'us'] as const
const WORKSPACES = ['shop', 'bank'] as const
const HOLDERS = [
  { user: 'ann', groups: [] },
  { user: 'bob', groups: ['dev'] },
  { user: 'dev', groups: ['ann', 'ops'] },
]
const SUBJECTS: readonly Subject[] = [
  { kind: 'User', name: 'ann' },
  { kind: 'Group', name: 'dev' },
  { kind: 'Group', name: 'ops' },
]
const START = Date.parse('2026-11-24T12:00:00Z')

/** What there is on the host; the model of who has what is a walk over all of it. */
class HostObjects {
  readonly direct = new Map<string, InstanceRoleBinding>()
  readonly members = new Map<string, WorkspaceRoleBinding>()
  readonly workspaces = new Map<string, Workspace>()
  readonly bound = new Map<string, WorkspaceBinding>()
  wall = START

  /** Every role on an instance for a holder, in words, by walking over everything. */
  given(instance: string, { user, groups }: (typeof HOLDERS)[number]): readonly string[] {
    const names = ({ subjects }: { readonly subjects: readonly Subject[] }) =>
      subjects.some(({ kind, name }) => (kind === 'Group' ? groups.includes(name) : name === user))
    const counts = ({ metadata, spec }: InstanceRoleBinding | WorkspaceRoleBinding) =>
      metadata.deletionTimestamp === undefined &&
      (spec.expiresAt === undefined || Date.parse(spec.expiresAt) > this.wall)
    const direct = [...this.direct.values()]
      .filter(binding => binding.spec.instance === instance && counts(binding) && names(binding.spec))
      .map(({ metadata, spec }) => `${spec.role} ${spec.namespaces ?? '*'} by ${metadata.name}`)
    const inherited = [...this.members.values()]
      .filter(binding => counts(binding) && names(binding.spec) && this.#exists(binding.spec.workspace))
      .flatMap(({ metadata, spec }) => {
        const through = [...this.bound.values()].filter(
          bound =>
            bound.spec.workspace === spec.workspace &&
            bound.spec.instance === instance &&
            bound.metadata.deletionTimestamp === undefined,
        )
        if (through.length === 0) return []
        const namespaces = through.flatMap(bound => bound.spec.namespace ?? []).sort()
        const whole = through.some(bound => bound.spec.namespace === undefined)
        return `${spec.role} ${whole ? '*' : namespaces} by ${metadata.name}`
      })
    return [...direct, ...inherited].sort()
  }

  #exists(name: string): boolean {
    const found = this.workspaces.get(name)
    return found !== undefined && found.metadata.deletionTimestamp === undefined
  }
}

type Step = (world: ReturnType<typeof roleBindingIndex>, host: HostObjects) => void
const name = fc.constantFrom('a', 'b', 'c')
const role = fc.constantFrom<InstanceRole>('Admin', 'Editor', 'Viewer')
const subjects = fc.subarray([...SUBJECTS], { minLength: 1 })
const uid = fc.constantFrom('1', '2')
const deletionTimestamp = fc.option(fc.constant('2026-11-24T12:00:00Z'), { nil: undefined, freq: 5 })
const expiresAt = fc.option(
  fc.integer({ min: -5_000, max: 60_000 }).map(ms => new Date(START + ms).toISOString()),
  { nil: undefined },
)
/** The fields of an object that have a value. */
type Defined<T> = { readonly [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key] } & {
  readonly [Key in keyof T as undefined extends T[Key] ? Key : never]?: Exclude<T[Key], undefined>
}
const defined = <T extends object>(fields: T): Defined<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc
    .record({
      name,
      role,
      subjects,
      uid,
      deletionTimestamp,
      expiresAt,
      instance: fc.constantFrom(...INSTANCES),
      namespaces: fc.constantFrom(undefined, ['web'], ['web', 'db']),
    })
    .map(
      ({ name, role, instance, subjects, namespaces, expiresAt, ...metadata }): Step =>
        (world, host) => {
          const more = { ...defined({ subjects, namespaces, expiresAt }), metadata: defined(metadata) }
          const binding = instanceRoleBinding(name, instance, role, more)
          host.direct.set(name, binding)
          world.bindings.show(binding)
        },
    ),
  name.map(
    (name): Step =>
      (world, host) => {
        host.direct.delete(name)
        world.bindings.hide(name)
      },
  ),
  fc
    .record({ name, role, subjects, uid, deletionTimestamp, expiresAt, of: fc.constantFrom(...WORKSPACES) })
    .map(
      ({ name, role, of, subjects, expiresAt, ...metadata }): Step =>
        (world, host) => {
          const more = { ...defined({ subjects, expiresAt }), metadata: defined(metadata) }
          const binding = workspaceRoleBinding(name, of, role, more)
          host.members.set(name, binding)
          world.workspaceRoleBindings.show(binding)
        },
    ),
  name.map(
    (name): Step =>
      (world, host) => {
        host.members.delete(name)
        world.workspaceRoleBindings.hide(name)
      },
  ),
  fc.record({ name: fc.constantFrom(...WORKSPACES), deletionTimestamp }).map(
    ({ name, ...metadata }): Step =>
      (world, host) => {
        host.workspaces.set(name, workspace(name, defined(metadata)))
        world.workspaces.show(workspace(name, defined(metadata)))
      },
  ),
  fc.constantFrom(...WORKSPACES).map(
    (name): Step =>
      (world, host) => {
        host.workspaces.delete(name)
        world.workspaces.hide(name)
      },
  ),
  fc
    .record({
      of: fc.constantFrom(...WORKSPACES),
      instance: fc.constantFrom(...INSTANCES),
      namespace: fc.constantFrom(undefined, 'web', 'db'),
      deletionTimestamp,
    })
    .map(
      ({ of, deletionTimestamp, ...bound }): Step =>
        (world, host) => {
          const binding = workspaceBinding(of, defined(bound), defined({ deletionTimestamp }))
          host.bound.set(binding.metadata.name, binding)
          world.workspaceBindings.show(binding)
        },
    ),
  fc
    .record({ instance: fc.constantFrom(...INSTANCES), namespace: fc.constantFrom(undefined, 'web', 'db') })
    .map(
      (bound): Step =>
        (world, host) => {
          const { metadata } = workspaceBinding('shop', defined(bound))
          host.bound.delete(metadata.name)
          world.workspaceBindings.hide(metadata.name)
        },
    ),
  fc.integer({ min: 1, max: 20_000 }).map(
    (ms): Step =>
      (world, host) => {
        host.wall += ms
        world.clock.wall = host.wall
      },
  ),
)

/** An index that starts on what there is, as after a restart. */
function restarted(host: HostObjects) {
  const world = roleBindingIndex()
  world.clock.wall = host.wall
  for (const one of host.members.values()) world.workspaceRoleBindings.show(one)
  for (const one of host.bound.values()) world.workspaceBindings.show(one)
  for (const one of host.direct.values()) world.bindings.show(one)
  for (const one of host.workspaces.values()) world.workspaces.show(one)
  return world
}

it('whatever comes, goes, ends and starts over, everybody has what the objects say, in every reading of the index', () => {
  fc.assert(
    fc.property(
      fc.array(steps, { maxLength: 40, size: 'max' }),
      fc.array(fc.nat(40), { maxLength: 3 }),
      (history, restarts) => {
        const host = new HostObjects()
        let world = roleBindingIndex()
        const said = new Map<string, string>()
        for (const [at, step] of history.entries()) {
          step(world, host)
          if (restarts.includes(at)) {
            world.index.stop()
            world = restarted(host)
          }
          for (const holder of HOLDERS) {
            const held = [...world.index.heldBy(holder)].map(({ spec, origin, metadata }) => [
              `${spec.instance}/${metadata.name}`,
              `${spec.role} ${spec.namespaces ?? '*'} by ${origin.object.metadata.name}`,
            ])
            const distinct = [...new Map(held as [string, string][])].map(
              ([key, words]) => `${key.split('/')[0]}: ${words}`,
            )
            const wanted = INSTANCES.flatMap(instance =>
              host.given(instance, holder).map(words => `${instance}: ${words}`),
            )
            expect(distinct.sort()).toEqual(wanted.sort())
          }
          for (const instance of INSTANCES) {
            const wanted = HOLDERS.map(holder => host.given(instance, holder))
            const all = world.index.of(instance)
            for (const [which, holder] of HOLDERS.entries()) {
              const found = [...world.index.givenTo(instance, holder)]
              const words = found.map(
                ({ spec, origin }) =>
                  `${spec.role} ${spec.namespaces ?? '*'} by ${origin.object.metadata.name}`,
              )
              // A holder that has several subjects of a binding finds it by each.
              const distinct = [
                ...new Map(found.map((binding, at) => [originOf(binding), words[at]])).values(),
              ]
              expect(distinct.sort()).toEqual(wanted[which])
              expect(all.map(originOf)).toEqual(expect.arrayContaining([...new Set(found.map(originOf))]))
            }
            // The same revision is never of two things that are given.
            const given = JSON.stringify(
              all.map(({ metadata, spec, origin }) => [metadata.name, origin.object.metadata.uid, spec]),
            )
            const revision = `${instance} ${world.index.revisionOf(instance)}`
            expect([revision, said.get(revision) ?? given]).toEqual([revision, given])
            said.set(revision, given)
            expect(world.index.factOf(instance).count).toBe(all.length)
          }
        }
        world.index.stop()
      },
    ),
    { numRuns: 100 },
  )
})
