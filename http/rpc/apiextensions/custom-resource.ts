import type { MessageInitShape } from '@bufbuild/protobuf'
import { claimOf } from '../../../karmada/matching/policies.js'
import { bestPrecision, Precision } from '../../../karmada/matching/resource-selector.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { CustomResourceSchema } from '../../../proto/gen/kairship/apiextensions_pb.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { clusterSummaries, type Distribution } from '../distribution/distribution.js'
import { ifReadable, readDistributions } from '../distribution/read-distributions.js'
import type { Kind } from '../kind/kind-handlers.js'
import { identityFields } from '../kind/object-meta.js'
import { clusterOverridePolicies, overridePolicies, type Policy } from '../policy/policies.js'
import { readable } from '../propagation/work.js'

/** What a custom resource's message shows that is not in the object. */
export interface Propagation {
  /** Absent for an object of a member. */
  readonly distribution: Distribution | undefined
  /** Names of the override policies that select it. */
  readonly overrides: readonly string[]
}

type CustomResourceMessage = MessageInitShape<typeof CustomResourceSchema>

/** The objects of a type that a CustomResourceDefinition defines. */
export const customResources = (
  type: ObjectType,
): Kind<KubeObject, CustomResourceMessage, Propagation | undefined> => ({
  type,
  message: customResourceMessage,
  extras: readPropagation,
})

/** @param propagation absent where nothing is known of it */
export function customResourceMessage(
  object: KubeObject,
  { cluster = '' }: Place,
  propagation?: Propagation,
): CustomResourceMessage {
  const { apiVersion, kind, metadata } = readable(object)
  const claim = cluster === '' ? claimOf(object) : undefined
  return {
    ...{ apiVersion, kind, cluster },
    ...identityFields(metadata),
    clusters: propagation?.distribution ? clusterSummaries(propagation.distribution) : [],
    propagationpolicies: claim ? [claim.name] : [],
    overridepolicies: [...(propagation?.overrides ?? [])],
  }
}

/** Reads for a page where its objects went, and the override policies: as many requests, whatever the page holds. */
async function readPropagation(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  items: readonly KubeObject[],
): Promise<(object: KubeObject) => Propagation | undefined> {
  if (place.cluster !== undefined || items.length === 0) return () => undefined
  const namespaces = new Set(items.map(({ metadata }) => metadata.namespace ?? ''))
  const [namespace = ''] = namespaces
  const within = namespaces.size === 1 && namespace !== '' ? { namespace } : {}
  const [distributionOf, clusterWide, namespaced] = await Promise.all([
    readDistributions(objects, call, place, items),
    readPolicies(objects, call, place, clusterOverridePolicies.type),
    namespace === '' ? [] : readPolicies(objects, call, place, overridePolicies.type, within),
  ])
  return object => ({
    distribution: distributionOf(object),
    overrides: overridesOf(object, [...clusterWide, ...namespaced]),
  })
}

/** The names of the override policies that select an object, each once. Those of a namespace select in it only. */
export function overridesOf(object: KubeObject, policies: readonly Policy[]): readonly string[] {
  const selecting = policies.filter(({ metadata: { namespace }, spec }) => {
    if (namespace && namespace !== object.metadata.namespace) return false
    const selectors = spec?.resourceSelectors ?? []
    return selectors.length === 0 || bestPrecision(object, selectors) > Precision.none
  })
  return [...new Set(selecting.map(({ metadata }) => metadata.name))].sort()
}

/** None where the caller may not read them, or they are not served. */
async function readPolicies(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  type: ObjectType,
  within: { readonly namespace?: string } = {},
): Promise<readonly Policy[]> {
  const all = { page: 1, pageSize: 0 }
  return (
    (await ifReadable(() => objects.list<Policy>(sideCall(call), place, type, { ...within, ...all }))) ?? []
  )
}
