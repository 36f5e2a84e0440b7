import type { KubeObject } from '../../../manifests/kube.js'
import type {
  AggregationResource,
  AggregationService,
  ClusterAggregationResource,
  GVR,
} from '../../../proto/gen/kairship/aggregation_pb.js'
import type { Call } from '../../call/call.js'
import { type FieldViolation, invalidFields } from '../../errors/failure.js'
import { documentOf, manifestOf } from '../../objects/manifest.js'
import { apiVersionOf, type ObjectType, type Place } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import { createTogether, type Planned } from '../create/create-together.js'
import { inFieldOf } from '../kind/in-field.js'
import { dataOf } from '../kind/kind-handlers.js'
import {
  CLUSTER_OVERRIDE_POLICY,
  CLUSTER_PROPAGATION_POLICY,
  OVERRIDE_POLICY,
  PROPAGATION_POLICY,
} from '../kind/object-types.js'

/** Each is tried dry and then made, within one call. */
const MOST_MANIFESTS = 50

/** Several objects with the policies that place them, in one call. */
export function aggregationHandlers(objects: Objects): ServiceHandlers<typeof AggregationService> {
  return {
    async createAggregationResource({ instance, namespace, data, gvr }, call) {
      const given = data ?? EMPTY
      const sets = {
        overridepolicies: { type: OVERRIDE_POLICY, manifests: given.overridepolicies },
        popagrationpolicies: { type: PROPAGATION_POLICY, manifests: given.popagrationpolicies },
      }
      const made = await create(
        objects,
        call,
        { instance },
        { sets, resources: given.resources, gvr, namespace },
      )
      return {
        resources: made.resources,
        popagrationpolicies: made.popagrationpolicies,
        overridepolicies: made.overridepolicies,
      }
    },

    async createClusterAggregationResource({ instance, data, gvr }, call) {
      const given = data ?? EMPTY_OF_CLUSTER
      const sets = {
        clusteroverridepolicies: { type: CLUSTER_OVERRIDE_POLICY, manifests: given.clusteroverridepolicies },
        clusterpopagrationpolicies: {
          type: CLUSTER_PROPAGATION_POLICY,
          manifests: given.clusterpopagrationpolicies,
        },
      }
      const made = await create(objects, call, { instance }, { sets, resources: given.resources, gvr })
      return {
        resources: made.resources,
        clusterpopagrationpolicies: made.clusterpopagrationpolicies,
        clusteroverridepolicies: made.clusteroverridepolicies,
      }
    },
  }
}

type Texts = readonly string[]
const EMPTY: Pick<AggregationResource, 'resources' | 'popagrationpolicies' | 'overridepolicies'> = {
  ...{ resources: [], popagrationpolicies: [], overridepolicies: [] },
}
const EMPTY_OF_CLUSTER: Pick<
  ClusterAggregationResource,
  'resources' | 'clusterpopagrationpolicies' | 'clusteroverridepolicies'
> = { resources: [], clusterpopagrationpolicies: [], clusteroverridepolicies: [] }

interface Wanted<K extends string> {
  /** Policies by the request's field, in the order in which they are made. */
  readonly sets: Readonly<Record<K, { readonly type: ObjectType; readonly manifests: Texts }>>
  readonly resources: Texts
  readonly gvr: readonly GVR[]
  /** Absent for what has none. */
  readonly namespace?: string
}

/** Policies first, so that no other policy claims a resource before its own is there. */
async function create<K extends string>(
  objects: Objects,
  call: Call,
  place: Place,
  { sets, resources, gvr, namespace }: Wanted<K>,
): Promise<Record<K | 'resources', string[]>> {
  const names = Object.keys(sets) as K[]
  const count = resources.length + names.reduce((sum, name) => sum + sets[name].manifests.length, 0)
  if (count === 0 || count > MOST_MANIFESTS)
    throw invalidFields([
      { field: 'data', description: `has ${count} manifests: send 1 to ${MOST_MANIFESTS}` },
    ])
  if (gvr.length > 0 && gvr.length !== resources.length)
    throw invalidFields([
      {
        field: 'gvr',
        description: `has ${gvr.length} types for ${resources.length} resources: send one for each, or none`,
      },
    ])
  const within = namespace === undefined ? {} : { namespace }
  const policies = names.flatMap(name =>
    sets[name].manifests.map((text, index): Planned & { readonly set: K } => {
      const { type } = sets[name]
      const field = `data.${name}[${index}]`
      return { set: name, type, field, object: manifestOf(text, { type, field, ...within }) }
    }),
  )
  const types = new Types(objects, call, place)
  const templates: Planned[] = []
  for (const [index, text] of resources.entries()) {
    const field = `data.resources[${index}]`
    const type = await types.of(text, field, namespace !== undefined)
    const violation = differs(type, gvr[index], `gvr[${index}]`)
    if (violation) throw invalidFields([violation])
    templates.push({ type, field, object: manifestOf(text, { type, field, ...within }) })
  }
  const planned = [...policies, ...templates]
  if (policies[0]) call.about(policies[0].object.metadata)
  const made = await createTogether(objects, call, place, planned)
  const texts = made.map(object => dataOf(object).data)
  const answer = { resources: texts.slice(policies.length) } as Record<K | 'resources', string[]>
  for (const name of names)
    answer[name] = texts.filter((_, index) => policies[index]?.set === name) as (typeof answer)[K]
  return answer
}

/** The types of resources, by discovery, each looked up once. */
class Types {
  readonly #known = new Map<string, ObjectType>()

  constructor(
    private readonly objects: Objects,
    private readonly call: Call,
    private readonly place: Place,
  ) {}

  /** @throws Failure INVALID_ARGUMENT for what is no object, is not served, or is of the other scope */
  async of(text: string, field: string, isNamespaced: boolean): Promise<ObjectType> {
    const document = documentOf(text, field)
    const { apiVersion, kind } = (document ?? {}) as Partial<Record<keyof KubeObject, unknown>>
    const violations = Object.entries({ apiVersion, kind }).flatMap(([name, value]): FieldViolation[] =>
      typeof value === 'string' && value !== ''
        ? []
        : [{ field: `${field}.${name}`, description: 'is required' }],
    )
    if (violations.length > 0) throw invalidFields(violations)
    const type = await this.#find(field, String(apiVersion), String(kind))
    if (type.namespaced !== isNamespaced)
      throw invalidFields([
        {
          field,
          description: isNamespaced
            ? `is a ${type.kind}, which has no namespace: send it to CreateClusterAggregationResource`
            : `is a ${type.kind}, which has a namespace: send it to CreateAggregationResource`,
        },
      ])
    return type
  }

  async #find(field: string, apiVersion: string, kind: string): Promise<ObjectType> {
    const key = `${apiVersion} ${kind}`
    const known = this.#known.get(key)
    if (known) return known
    const { objects, call, place } = this
    const found = await inFieldOf(field, objects.typeOf(call, place, apiVersion, kind))
    this.#known.set(key, found)
    return found
  }
}

function differs(type: ObjectType, given: GVR | undefined, field: string): FieldViolation | undefined {
  if (!given) return undefined
  const { group, version, resource } = given
  if (group === type.group && version === type.version && resource === type.resource) return undefined
  return {
    field,
    description: `is ${JSON.stringify(`${group}/${version} ${resource}`)}, but its resource is of ${apiVersionOf(type)} ${type.resource}`,
  }
}
