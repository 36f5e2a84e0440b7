import { deepEqual, equal, ok } from 'node:assert/strict'
import type { ServiceScenarios, Stage } from '../scenario.js'

/** A type of this run alone. */
const typeOf = ({ unique }: Stage, scope: 'Namespaced' | 'Cluster') => {
  const [word, kind] = scope === 'Cluster' ? ['harbor', 'Harbor'] : ['boat', 'Boat']
  const group = `${unique}.example.io`
  const [version, resource] = ['v1', `${word}s`]
  return {
    ...{ kind, apiVersion: `${group}/${version}`, name: `${resource}.${group}` },
    request: { group, version, resource },
    definition: {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${resource}.${group}` },
      spec: {
        ...{ group, scope, names: { plural: resource, singular: word, kind, listKind: `${kind}List` } },
        versions: [
          {
            ...{ name: version, served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    },
  }
}
type Type = ReturnType<typeof typeOf>

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const manifest = ({ apiVersion, kind }: Type, name: string) => ({
  ...{ apiVersion, kind, metadata: { name }, spec: { crew: 2 } },
})
const namesOf = ({ items }: { items: { name: string }[] }) => items.map(({ name }) => name)

/** Runs with a type that is served, and takes it away. */
async function withType(stage: Stage, scope: 'Namespaced' | 'Cluster', run: (type: Type) => Promise<void>) {
  const { karmada, eventually } = stage
  const type = typeOf(stage, scope)
  await karmada('POST', DEFINITIONS, type.definition)
  try {
    const { group, version, resource } = type.request
    await eventually(() => karmada('GET', `/apis/${group}/${version}/${resource}`))
    await run(type)
  } finally {
    await karmada('DELETE', `${DEFINITIONS}/${type.name}`)
  }
}

/** The life of one object. @param word what the operations of the scope have in their names */
const life = async ({ ask, refused }: Stage, type: Type, word: string) => {
  const { request } = type
  const one = { ...request, name: 'jolly' }
  const created = JSON.parse(
    (await ask(`Create${word}`, { ...request, data: JSON.stringify(manifest(type, 'jolly')) })).data,
  )
  const shown = await ask(`Get${word}`, one)
  deepEqual([shown.kind, shown.uid], [type.kind, created.metadata.uid])
  const whole = JSON.parse((await ask(`Get${word}JSON`, one)).data)
  equal(whole.spec.crew, 2)
  const update = { ...one, data: JSON.stringify({ ...whole, spec: { crew: 3, more: true } }) }
  deepEqual(JSON.parse((await ask(`Update${word}`, update)).data).spec, { crew: 3, more: true })
  equal(await refused(`Update${word}`, update), 409)
  if (word === 'CustomResource') {
    const patch = { ...one, patchType: 'PATCH_TYPE_JSON', data: '[{"op":"remove","path":"/spec/more"}]' }
    deepEqual(JSON.parse((await ask('PatchCustomResource', patch)).data).spec, { crew: 3 })
  }
  deepEqual(await ask(`Delete${word}`, one), {})
  equal(await refused(`Get${word}`, one), 404)
}

const list = async ({ ask, karmada, namespace, eventually }: Stage, type: Type, rpc: string) => {
  const { group, version, resource } = type.request
  const within = rpc === 'ListCustomResources' ? `namespaces/${namespace}/` : ''
  for (const name of ['c', 'a', 'b'])
    await karmada('POST', `/apis/${group}/${version}/${within}${resource}`, manifest(type, `${name}-boat`))
  await eventually(async () => {
    const page = { ...type.request, page: 2, pageSize: 2, sortBy: 'field_name', sortDir: 'asc', name: 'boat' }
    const second = await ask(rpc, page)
    deepEqual(
      [namesOf(second), second.pagination],
      [['c-boat'], { total: 3, page: 2, pageSize: 2, pages: 2 }],
    )
  })
}

/** Scenarios of the Apiextensions service. */
export const apiextensions: ServiceScenarios = {
  service: 'Apiextensions',
  scenarios: [
    {
      proves: [
        ...[
          'CreateCustomResourceDefinition',
          'GetCustomResourceDefinition',
          'GetCustomResourceDefinitionJSON',
        ],
        ...['UpdateCustomResourceDefinition', 'DeleteCustomResourceDefinition'],
        ...['ListCustomResourceDefinitions', 'ListCustomResourceDefinitionGroups'],
      ],
      async run(stage) {
        const { ask, refused, eventually } = stage
        const { definition, name, request } = typeOf(stage, 'Namespaced')
        const data = JSON.stringify(definition)
        const created = JSON.parse((await ask('CreateCustomResourceDefinition', { data })).data)
        equal(created.metadata.name, name)
        await eventually(async () => {
          const { spec, status } = await ask('GetCustomResourceDefinition', { name })
          deepEqual([spec.scope, spec.names.plural], ['NAMESPACED', request.resource])
          ok(status.conditions.some((one: { type: string }) => one.type === 'Established'))
          const listed = await ask('ListCustomResourceDefinitions', { group: request.group })
          deepEqual([listed.items[0].metadata.name, listed.pagination.total], [name, 1])
          ok((await ask('ListCustomResourceDefinitionGroups')).items.includes(request.group))
        })
        const whole = JSON.parse((await ask('GetCustomResourceDefinitionJSON', { name })).data)
        whole.spec.names.categories = ['all']
        const update = { name, data: JSON.stringify(whole) }
        const updated = JSON.parse((await ask('UpdateCustomResourceDefinition', update)).data)
        deepEqual(updated.spec.names.categories, ['all'])
        equal(await refused('UpdateCustomResourceDefinition', update), 409)
        deepEqual(await ask('DeleteCustomResourceDefinition', { name }), {})
        await eventually(async () => equal(await refused('GetCustomResourceDefinition', { name }), 404))
      },
    },
    {
      proves: [
        ...['CreateCustomResource', 'GetCustomResource', 'GetCustomResourceJSON', 'UpdateCustomResource'],
        ...['PatchCustomResource', 'DeleteCustomResource', 'ListCustomResources'],
      ],
      run: stage =>
        withType(stage, 'Namespaced', async type => {
          await life(stage, type, 'CustomResource')
          await list(stage, type, 'ListCustomResources')
        }),
    },
    {
      proves: [
        ...['CreateClusterCustomResource', 'GetClusterCustomResource', 'GetClusterCustomResourceJSON'],
        ...['UpdateClusterCustomResource', 'DeleteClusterCustomResource', 'ListClusterCustomResources'],
      ],
      run: stage =>
        withType(stage, 'Cluster', async type => {
          await life(stage, type, 'ClusterCustomResource')
          await list(stage, type, 'ListClusterCustomResources')
        }),
    },
  ],
}
