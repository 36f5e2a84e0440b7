import { deepEqual, equal, match } from 'node:assert/strict'
import type { Scenario, ServiceScenarios, Stage } from '../scenario.js'

const selector = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }
const specs = {
  Propagation: {
    resourceSelectors: [selector],
    placement: { clusterAffinity: { clusterNames: ['nowhere'] } },
  },
  Override: {
    resourceSelectors: [selector],
    overrideRules: [
      { overriders: { plaintext: [{ path: '/spec/replicas', operator: 'replace', value: 3 }] } },
    ],
  },
} as const
const changes = { Propagation: { priority: 7 }, Override: { overrideRules: [{ overriders: {} }] } } as const

/** One of the four kinds. */
interface Policies {
  readonly kind: `${'Cluster' | ''}${keyof typeof specs}Policy`
  readonly about: keyof typeof specs
  readonly namespaced: boolean
}
const manifest = ({ kind, about }: Policies, name: string, kindSelected: string = selector.kind) => ({
  apiVersion: 'policy.karmada.io/v1alpha1',
  kind,
  metadata: { name },
  spec: { ...specs[about], resourceSelectors: [{ ...selector, kind: kindSelected }] },
})
const plural = (kind: string) => `${kind.slice(0, -1)}ies`
const path = ({ kind, namespaced }: Policies, { namespace }: Stage) =>
  `/apis/policy.karmada.io/v1alpha1/${namespaced ? `namespaces/${namespace}/` : ''}${plural(kind).toLowerCase()}`
const namesOf = ({ items }: { items: { metadata: { name: string } }[] }) =>
  items.map(({ metadata }) => metadata.name)

const life = (policies: Policies): Scenario => {
  const { kind, about } = policies
  const field = `${kind[0]!.toLowerCase()}${kind.slice(1)}`
  return {
    proves: [...['Create', 'Get', 'Update', 'Delete'].map(verb => verb + kind), `Get${kind}JSON`],
    async run({ ask, eventually, refused, unique: name }) {
      const created = JSON.parse(
        (await ask(`Create${kind}`, { data: JSON.stringify(manifest(policies, name)) })).data,
      )
      equal(created.metadata.name, name)
      const shown = (await ask(`Get${kind}`, { name }))[field]
      deepEqual([shown.metadata.uid, shown.spec.resourceSelectors[0].name], [created.metadata.uid, 'web'])
      const whole = JSON.parse((await ask(`Get${kind}JSON`, { name })).data)
      match(whole.spec.resourceSelectors[0].kind, /Deployment/)
      const data = JSON.stringify({ ...whole, spec: { ...whole.spec, ...changes[about] } })
      const updated = JSON.parse((await ask(`Update${kind}`, { name, data })).data)
      equal(updated.metadata.generation, created.metadata.generation + 1)
      equal(await refused(`Update${kind}`, { name, data }), 409)
      deepEqual(await ask(`Delete${kind}`, { name }), {})
      // Karmada has a finalizer on it.
      await eventually(async () => equal(await refused(`Get${kind}`, { name }), 404))
    },
  }
}

const lists = (policies: Policies): Scenario => {
  const list = `List${plural(policies.kind)}`
  const listAll = `ListInstance${plural(policies.kind)}`
  return {
    proves: policies.namespaced ? [list, listAll] : [list],
    async run(stage) {
      const { ask, karmada, unique } = stage
      const made = ['c', 'a', 'b'].map(letter => `${letter}-${unique}`)
      for (const name of made)
        await karmada(
          'POST',
          path(policies, stage),
          manifest(policies, name, name === made[2] ? 'Job' : undefined),
        )
      try {
        await stage.eventually(async () => {
          const page = { page: 2, pageSize: 2, sortBy: 'field_name', sortDir: 'asc', name: unique }
          const second = await ask(list, page)
          deepEqual(
            [namesOf(second), second.pagination],
            [[`c-${unique}`], { total: 3, page: 2, pageSize: 2, pages: 2 }],
          )
          deepEqual(namesOf(await ask(list, { name: unique, kind: 'Job' })), [`b-${unique}`])
          if (policies.namespaced) deepEqual(namesOf(await ask(listAll, { name: unique })), [...made].sort())
        })
      } finally {
        for (const name of made) await karmada('DELETE', `${path(policies, stage)}/${name}`)
      }
    },
  }
}

const kinds: readonly Policies[] = [
  { kind: 'PropagationPolicy', about: 'Propagation', namespaced: true },
  { kind: 'ClusterPropagationPolicy', about: 'Propagation', namespaced: false },
  { kind: 'OverridePolicy', about: 'Override', namespaced: true },
  { kind: 'ClusterOverridePolicy', about: 'Override', namespaced: false },
]

/** Scenarios of the Policy service. */
export const policy: ServiceScenarios = {
  service: 'Policy',
  scenarios: kinds.flatMap(kind => [life(kind), lists(kind)]),
}
