import { linkTo } from '../../../karmada/explain/link.js'
import { explainPlacement } from '../../../karmada/explain/placement.js'
import { summaryOf, trace } from '../../../karmada/explain/trace.js'
import type { OverridePolicy } from '../../../karmada/objects/override-policy.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import { isPlaced } from '../../../karmada/objects/resource-binding.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { PlacementService } from '../../../proto/gen/kairship/placement_pb.js'
import type { Call } from '../../call/call.js'
import { failedPrecondition, invalidFields, notFound } from '../../errors/failure.js'
import { ConcurrencyLimit } from '../../limits/concurrency-limit.js'
import { manifestAmong } from '../../objects/manifest.js'
import type { ObjectKey, ObjectType } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import type { OwnReads } from '../../objects/requests/own-requests.js'
import type { ServiceHandlers } from '../../operation/operation.js'
import {
  CLUSTER_OVERRIDE_POLICY,
  CLUSTER_PROPAGATION_POLICY,
  OVERRIDE_POLICY,
  PROPAGATION_POLICY,
} from '../kind/object-types.js'
import { bindingOf, clustersOf, gather, groupedBindings } from './gather.js'
import { linkMessage, placementMessage, referenceMessage } from './messages.js'
import { policyOf } from './policy-manifest.js'
import { previewOverride, previewPropagation } from './preview.js'
import { quotasIn } from './quotas.js'
import { Reader } from './reader.js'
import { rehearseTaints } from './rehearse.js'

/** Traces, explanations and previews: Karmada's own decisions, taken without writing anything. */
export function placementHandlers(
  objects: Objects,
  ownReads: OwnReads,
): ServiceHandlers<typeof PlacementService> {
  const previews = new ConcurrencyLimit('previews under way', PREVIEWS_PER_CALLER)
  return {
    async tracePropagation(request, call) {
      const { reader, type, key } = await lookedFor({ objects, ownReads }, request, call)
      const propagated = await gather(reader, type, key)
      const found = trace(propagated)
      return {
        summary: summaryOf(found, propagated.wanted),
        links: found.links.map(linkMessage),
        ...(found.first && { first: linkMessage(found.first) }),
        unread: [...reader.unread],
      }
    },

    async explainPlacement(request, call) {
      const { reader, type, key } = await lookedFor({ objects, ownReads }, request, call)
      const [binding, clusters] = await Promise.all([bindingOf(reader, type.kind, key), clustersOf(reader)])
      if (!binding) throw (await reader.get(type, key)) ? notPropagated(type, key) : noTemplate(type, key)
      if (!isPlaced(binding)) throw followsAnother(type, key)
      const others = await groupedBindings(reader, binding)
      // Without clusters every decision would be that none fits.
      if (reader.unread.length > 0) throw reader.refusal()
      const { quotas, notes } = await quotasIn(reader, key.namespace)
      const { assumptions, ...explained } = explainPlacement(
        binding.spec,
        binding.status ?? {},
        clusters,
        others,
        quotas,
      )
      const placement = placementMessage({ ...explained, assumptions: [...assumptions, ...notes] })
      return { binding: referenceMessage(linkTo(binding)), placement }
    },

    async previewPolicy({ instance, data }, call) {
      if (data.length > LARGEST_POLICY) throw tooLarge(data)
      const policy = manifestAmong(data, POLICIES)
      const reader = new Reader(objects, ownReads, call, { instance })
      const giveBack = previews.take(call.caller.user)
      try {
        return await (policy.kind.endsWith('PropagationPolicy')
          ? previewPropagation(reader, policyOf<PropagationPolicy>(policy))
          : previewOverride(reader, policyOf<OverridePolicy & KubeObject>(policy)))
      } finally {
        giveBack()
      }
    },

    async rehearseTaints(request, call) {
      const reader = new Reader(objects, ownReads, call, { instance: request.instance })
      const giveBack = previews.take(call.caller.user)
      try {
        return await rehearseTaints(reader, request, Date.now())
      } finally {
        giveBack()
      }
    },
  }
}

/** Characters of a policy that is tried on many templates and clusters. Policies that people write have some thousands. */
const LARGEST_POLICY = 128 << 10
/** Each computes for up to a call's longest time. */
const PREVIEWS_PER_CALLER = 2

const tooLarge = ({ length }: string) =>
  invalidFields([
    {
      field: 'data',
      description: `has ${length} characters: a policy of ${LARGEST_POLICY} at most is previewed`,
    },
  ])

const POLICIES = [PROPAGATION_POLICY, CLUSTER_PROPAGATION_POLICY, OVERRIDE_POLICY, CLUSTER_OVERRIDE_POLICY]

/** The type and the key that a request names. @throws Failure INVALID_ARGUMENT for a type that the instance does not serve */
async function lookedFor(
  { objects, ownReads }: { readonly objects: Objects; readonly ownReads: OwnReads },
  request: { instance: string; apiVersion: string; kind: string; namespace: string; name: string },
  call: Call,
): Promise<{ readonly reader: Reader; readonly type: ObjectType; readonly key: ObjectKey }> {
  const { instance, apiVersion, kind, namespace, name } = request
  const reader = new Reader(objects, ownReads, call, { instance })
  const type = await reader.typeOf(apiVersion, kind)
  if (type.namespaced && namespace === '')
    throw invalidFields([
      { field: 'namespace', description: `is empty, but a ${kind} is in a namespace: name it` },
    ])
  return { reader, type, key: { name, ...(type.namespaced && { namespace }) } }
}

const titleOf = ({ kind }: ObjectType, { namespace, name }: ObjectKey): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`

const noTemplate = (type: ObjectType, key: ObjectKey) =>
  notFound(`the control plane has no ${titleOf(type, key)}`, { reason: 'TemplateNotFound' })

const notPropagated = (type: ObjectType, key: ObjectKey) =>
  notFound(
    `${titleOf(type, key)} has no binding: no policy propagates it. A trace names the first broken step`,
    {
      reason: 'NotPropagated',
    },
  )

/** Dependencies have bindings without a placement. */
const followsAnother = ({ kind }: ObjectType, { name }: ObjectKey) =>
  failedPrecondition(
    `${kind} ${name} has no placement of its own: it goes where the templates go that need it (spec.requiredBy of its binding)`,
    { reason: 'Dependency' },
  )
