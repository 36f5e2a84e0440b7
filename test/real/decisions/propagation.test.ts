import fc from 'fast-check'
import { applyPatch, type Operation } from 'fast-json-patch'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mutated } from '../../../karmada/admission/mutate.js'
import { RetainError } from '../../../karmada/interpreter/retain.js'
import { claimed } from '../../../karmada/matching/claim.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import type { Binding } from '../../../karmada/objects/resource-binding.js'
import type { Work } from '../../../karmada/objects/work.js'
import { ForeignBindingError, newBinding, renewedBinding } from '../../../karmada/propagation/binding-of.js'
import { UnmanagedObjectError, updateInMember } from '../../../karmada/propagation/in-member.js'
import { pruned } from '../../../karmada/propagation/prune.js'
import { targetsOf, workOf } from '../../../karmada/propagation/work-of.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { parseQuantity } from '../../../manifests/quantity.js'
import { comparable } from '../../karmada/comparable.js'
import { overrideScenarios } from '../../karmada/override-scenarios.js'
import {
  inMembers,
  policies,
  present,
  scheduled,
  storedPolicies,
  templates,
} from '../../karmada/propagation-scenarios.js'
import { KarmadaOracle } from '../karmada-oracle.js'
import { numRuns, seed } from './runs.js'

let oracle: KarmadaOracle
beforeAll(() => {
  oracle = new KarmadaOracle()
})
afterAll(() => oracle.close())

type Answer = Record<string, unknown> & { readonly problem?: string }
const ask = async (op: string, question: object): Promise<Answer> =>
  (await oracle.ask(op, question)) as Answer

const agrees = <T>(scenarios: fc.Arbitrary<T>, check: (scenario: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(scenarios, check), { numRuns, seed })

/** Or 'refused', where it throws one of these errors. */
async function orRefused<T>(
  answer: () => T | Promise<T>,
  ...errors: readonly (new (
    ...words: never[]
  ) => Error)[]
): Promise<T | 'refused'> {
  try {
    return await answer()
  } catch (error) {
    if (errors.some(one => error instanceof one)) return 'refused'
    throw error
  }
}

/** What it says, without the version that it has in its store. Go's typed objects do not say their type. */
const saidBy = ({ metadata, apiVersion: _type, kind: _kind, ...rest }: KubeObject): unknown => {
  const { resourceVersion: _, ...kept } = metadata as KubeObject['metadata'] & { resourceVersion?: string }
  return comparable(JSON.parse(JSON.stringify({ ...rest, metadata: kept }, amounts)))
}

/** Who reads an amount and writes it again writes `2000` as `2k`. */
const amounts = (key: string, value: unknown): unknown =>
  key === 'resourceRequest'
    ? Object.entries(value as Record<string, string>)
        .map(([name, text]) => `${name} ${parseQuantity(text).nano}`)
        .sort()
    : value

describe('Karmada makes the same of', () => {
  it('an object that is written into a Work, without what belongs to its API server', () =>
    agrees(templates, async object => {
      expect(comparable(pruned(object))).toEqual(comparable(await ask('prune', { object })))
    }))

  it('a manifest and the object of that name in the member', () =>
    agrees(inMembers, async ({ manifest, observed }) => {
      const ours = await orRefused(
        async () => (await updateInMember(manifest, observed, 'member')) ?? 'nothing',
        UnmanagedObjectError,
        RetainError,
      )
      const { problem, sent } = await ask('inMember', { manifest, observed })
      const theirs = problem ? 'refused' : (sent ?? 'nothing')
      // Karmada also sends what changes nothing, such as a Service with the address that it has.
      const said = (one: unknown) =>
        typeof one === 'string' || isSame(one, observed)
          ? one === 'refused'
            ? one
            : 'nothing'
          : comparable(one)
      expect(said(ours)).toEqual(said(theirs))
    }))

  it('a template that a policy claims: a binding, new or changed', () =>
    agrees(
      fc
        .record({
          template: templates,
          policy: storedPolicies,
          before: fc.option(fc.record({ scheduled, present, policy: storedPolicies }), { nil: undefined }),
          foreign: fc.nat(9),
        })
        .filter(
          ({ template, policy }) =>
            policy.kind === 'ClusterPropagationPolicy' || template.metadata.namespace !== undefined,
        ),
      async ({ template, policy, before, foreign }) => {
        const object = claimed(template, policy as PropagationPolicy)
        const old = before && bindingBefore(object, before, foreign === 0)
        const ours = await orRefused(
          () =>
            old
              ? renewedBinding(old, object, policy as PropagationPolicy)
              : newBinding(object, policy as PropagationPolicy),
          ForeignBindingError,
        )
        const theirs = await ask('bind', { object, policy, present: old })
        expect(ours === 'refused' ? ours : saidBy(ours)).toEqual(
          theirs.problem ? 'refused' : saidBy(theirs as unknown as KubeObject),
        )
      },
    ))

  it('a policy, an override policy, a binding or a Work that is created or changed', () =>
    agrees(
      fc.record({
        object: fc.oneof(policies, bindings, works, overridePolicies),
        isNew: fc.boolean(),
      }),
      async ({ object, isNew }) => {
        // Its configuration sends it new bindings only.
        const operation = isNew || object.kind.endsWith('Binding') ? 'CREATE' : 'UPDATE'
        const { problem, patches } = await ask('mutate', { object, operation })
        expect(problem).toBeUndefined()
        const copy = JSON.parse(JSON.stringify(object)) as object
        const { newDocument } = applyPatch(copy, (patches ?? []) as Operation[])
        const withoutIds = (one: unknown) =>
          comparable(JSON.parse(JSON.stringify(one, amounts).replace(UUID, 'id')))
        expect(withoutIds(mutated(object, () => 'id', operation))).toEqual(withoutIds(newDocument))
      },
    ))

  it('a binding: the Works of its clusters, new or changed', () =>
    agrees(
      fc
        .record({
          template: templates,
          policy: storedPolicies,
          scheduled,
          overrides: overrideScenarios,
          old: present,
          had: fc.boolean(),
        })
        .filter(
          ({ template, policy }) =>
            policy.kind === 'ClusterPropagationPolicy' || template.metadata.namespace !== undefined,
        ),
      async ({ template, policy, scheduled, overrides, old, had }) => {
        const binding = mutated(
          bindingBefore(template, { scheduled, present: {}, policy }, false),
          () => 'rb-1',
        )
        const clusters = ['m1', 'm2', 'm3'].map(
          name => ({ ...overrides.cluster, metadata: { ...overrides.cluster.metadata, name } }) as Cluster,
        )
        const wide = overrides.clusterPolicies
        const namespaced = overrides.policies
        const target = targetsOf(binding)[0]
        const first = had && target ? workBefore(binding, template, target.name, clusters, old) : undefined
        const ours = await orRefused(
          () =>
            targetsOf(binding).map(one =>
              workOf(
                binding,
                template,
                one,
                clusters.find(({ metadata }) => metadata.name === one.name)!,
                { clusterWide: wide, namespaced },
                one === target ? first : undefined,
              ),
            ),
          Error,
        )
        const theirs = (await ask('works', {
          object: template,
          binding,
          clusters,
          clusterPolicies: wide,
          policies: namespaced,
          present: first ? [first] : [],
        })) as Answer & { works?: Work[]; failed?: string }
        expect(theirs.problem).toBeUndefined()
        // A Job becomes a typed object on its way; an override may have written what no Job has.
        if (template.kind === 'Job' && theirs.failed && ours !== 'refused') return
        expect(ours === 'refused' ? theirs.failed : '').toBe(theirs.failed)
        const purged = (binding.spec.gracefulEvictionTasks ?? []).some(
          ({ purgeMode }) => purgeMode === 'Directly',
        )
        if (ours === 'refused' || (purged && first)) return
        const byPlace = (all: readonly Work[]) =>
          Object.fromEntries(all.map(one => [one.metadata.namespace, one.spec]))
        expect(comparable(byPlace(ours))).toEqual(comparable(byPlace(theirs.works ?? [])))
      },
    ))
})

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(comparable(one)) === JSON.stringify(comparable(other))

interface Before {
  readonly scheduled: object
  readonly present: {
    readonly labels?: Record<string, string> | undefined
    readonly annotations?: Record<string, string> | undefined
    readonly finalizers?: string[] | undefined
  }
  readonly policy: KubeObject
}

/** A binding that an earlier policy made, and that others wrote into since. */
function bindingBefore(
  template: KubeObject,
  { scheduled, present, policy }: Before,
  foreign: boolean,
): Binding {
  const owner = foreign ? { ...template, metadata: { ...template.metadata, uid: 'another' } } : template
  const made = newBinding(owner as Parameters<typeof newBinding>[0], policy as PropagationPolicy)
  const { labels, annotations, finalizers } = present
  return JSON.parse(
    JSON.stringify({
      ...made,
      metadata: {
        ...made.metadata,
        labels: { ...made.metadata.labels, ...labels },
        annotations: { ...made.metadata.annotations, ...annotations },
        finalizers: finalizers ?? made.metadata.finalizers,
      },
      spec: { ...made.spec, ...scheduled },
    }),
  ) as Binding
}

function workBefore(
  binding: Binding,
  template: Parameters<typeof workOf>[1],
  name: string,
  clusters: readonly Cluster[],
  { labels, annotations, finalizers }: Before['present'],
): Work {
  const cluster = clusters.find(({ metadata }) => metadata.name === name)!
  const made = workOf(binding, template, { name }, cluster, { clusterWide: [], namespaced: [] })
  return {
    ...made,
    metadata: {
      ...made.metadata,
      labels: { ...made.metadata.labels, ...labels },
      annotations: { ...made.metadata.annotations, ...annotations },
      ...(finalizers && { finalizers }),
    },
  }
}

const marked = (object: KubeObject, { labels, finalizers }: Before['present']): KubeObject =>
  JSON.parse(
    JSON.stringify({
      ...object,
      metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels }, finalizers },
    }),
  ) as KubeObject

const bindings = fc
  .tuple(templates, storedPolicies, scheduled, present)
  .map(([template, policy, scheduled, present]) =>
    marked(bindingBefore(template, { scheduled, present: {}, policy }, false), present),
  )
const works = fc.tuple(templates, present).map(([template, present]) =>
  marked(
    {
      apiVersion: 'work.karmada.io/v1alpha1',
      kind: 'Work',
      metadata: { name: 'w', namespace: 'karmada-es-m1' },
      spec: { workload: { manifests: [template] } },
    } as KubeObject,
    present,
  ),
)
const overridePolicies = overrideScenarios
  .filter(({ policies }) => policies.length > 0)
  .map(
    ({ policies: [first] }) =>
      ({ ...first, apiVersion: 'policy.karmada.io/v1alpha1', kind: 'OverridePolicy' }) as KubeObject,
  )
