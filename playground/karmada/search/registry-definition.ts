import { fieldSelectorComplaint } from '../../../karmada/admission/validate-placement.js'
import type { ClusterAffinity } from '../../../karmada/objects/placement.js'
import { RESOURCE_REGISTRIES } from '../../../karmada/objects/resource-registry.js'
import { dns1123Label } from '../../../manifests/name-format.js'
import { NAME_AND_CREATED } from '../../apimachinery/builtin/columns/other-columns.js'
import { type FieldError, invalid } from '../../apimachinery/field-error.js'
import { type JsonObject, listAt, objectAt, stringAt } from '../../apimachinery/json.js'
import {
  type ResourceDefinition,
  STORED_VERBS,
  type Strategy,
} from '../../apimachinery/resource-definition.js'
import { atomicList, condition, described, list, object, type Schema, text } from '../../objects/schema.js'
import { clusterAffinity } from '../crds/placement.js'

const selector = object({ apiVersion: text, kind: text, namespace: text }, ['apiVersion', 'kind'])
const openSearch = object(
  { addresses: list(text), secretRef: object({ namespace: text, name: text }, ['namespace', 'name']) },
  ['addresses', 'secretRef'],
)

const schema: Schema = {
  ...described(
    'Which objects of which members karmada-search caches.',
    object({
      apiVersion: text,
      kind: text,
      metadata: { type: 'object' },
      spec: object(
        {
          targetCluster: clusterAffinity,
          resourceSelectors: list(selector),
          backendStore: object({ openSearch }),
        },
        ['targetCluster', 'resourceSelectors'],
      ),
      status: object({ conditions: atomicList(condition) }),
    }),
  ),
  model: 'com.github.karmada-io.karmada.pkg.apis.search.v1alpha1.ResourceRegistry',
}

/** Karmada's registry counts no generations, and takes the status with the object: nothing of a ResourceRegistry is set aside. */
const strategy: Strategy = {
  withoutGeneration: true,
  allowsUnconditionalUpdate: true,
  prepareForUpdate: wanted => wanted,
  validate: validateRegistry,
}

function validateRegistry(registry: JsonObject): readonly FieldError[] {
  const affinity = objectAt(registry, 'spec', 'targetCluster') as unknown as ClusterAffinity
  const complaint = fieldSelectorComplaint(affinity)
  const field = 'spec.targetCluster.fieldSelector'
  return [
    ...(complaint === undefined ? [] : [invalid(field, affinity.fieldSelector, complaint)]),
    ...listAt(registry, 'spec', 'resourceSelectors').flatMap((one, position) =>
      selectorErrors(one as JsonObject, `spec.resourceSelectors[${position}]`),
    ),
    ...listAt(registry, 'spec', 'backendStore', 'openSearch', 'addresses').flatMap((address, position) =>
      addressErrors(String(address), `spec.backendStore.openSearch.addresses[${position}]`),
    ),
  ]
}

function selectorErrors(selected: JsonObject, path: string): readonly FieldError[] {
  const apiVersion = stringAt(selected, 'apiVersion')
  const namespace = stringAt(selected, 'namespace')
  const isVersion = apiVersion.split('/').length <= 2
  return [
    ...(isVersion
      ? []
      : [invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)]),
    ...(namespace === ''
      ? []
      : dns1123Label(namespace).map(why => invalid(`${path}.namespace`, namespace, why))),
  ]
}

function addressErrors(address: string, path: string): readonly FieldError[] {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.host && ['http:', 'https:'].includes(url.protocol)) return []
  return [invalid(path, address, 'must be a valid http or https URL with non-empty scheme and host')]
}

/** The type `resourceregistries.search.karmada.io`, as karmada-search registers it. */
export const registryDefinition: ResourceDefinition = {
  group: RESOURCE_REGISTRIES.group,
  version: RESOURCE_REGISTRIES.version,
  kind: 'ResourceRegistry',
  listKind: 'ResourceRegistryList',
  plural: RESOURCE_REGISTRIES.resource,
  singular: 'resourceregistry',
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs: STORED_VERBS,
  subresources: { status: true },
  schema,
  printerColumns: NAME_AND_CREATED,
  strategy,
  custom: false,
}

const connected = (plural: string, kind: string, verbs: readonly string[]): ResourceDefinition => ({
  group: RESOURCE_REGISTRIES.group,
  version: RESOURCE_REGISTRIES.version,
  kind,
  listKind: `${kind}List`,
  plural,
  singular: plural,
  shortNames: [],
  categories: [],
  namespaced: false,
  verbs,
  subresources: {},
  schema: object({ apiVersion: text, kind: text }),
  printerColumns: [],
  custom: false,
})

/** The types that have no objects, but paths below their names. */
export const connectedDefinitions: readonly ResourceDefinition[] = [
  connected('proxying', 'Proxying', ['create', 'delete', 'get', 'patch', 'update']),
  connected('search', 'Search', ['get']),
]
