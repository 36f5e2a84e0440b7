import { claimOf } from '../../../karmada/matching/policies.js'
import { policyName } from '../../../karmada/names.js'
import type { PropagationPolicy } from '../../../karmada/objects/propagation-policy.js'
import type { KubeObject } from '../../../manifests/kube.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import { manifestOf } from '../../objects/manifest.js'
import { apiVersionOf } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import { createTogether } from '../create/create-together.js'
import { CLUSTER_PROPAGATION_POLICY, DEPLOYMENT, PROPAGATION_POLICY } from '../kind/object-types.js'
import { type Service, selectsPods, services } from './service.js'
import type { Whole } from './workloads.js'

/** The Service, and the Deployment that it is for: the contract has no other kind. */
interface Request {
  readonly instance: string
  readonly namespace: string
  readonly kindName: string
  readonly data: string
}

/**
 * Creates a Service for a Deployment, and a policy that places it as the Deployment's policy does. A manifest without a
 * selector gets that of the Deployment. The policy is made first, so that no other one claims the Service in between, and
 * taken back when the Service cannot be made.
 *
 * A Deployment that no policy selects is placed nowhere, and so is its Service.
 * @throws Failure INVALID_ARGUMENT for a Service that would not reach the Deployment's pods; StatusError
 */
export async function createWorkloadService(objects: Objects, call: Call, request: Request): Promise<void> {
  const { instance, namespace, kindName, data } = request
  const place = { instance }
  const manifest = manifestOf(data, { type: services.type, namespace }) as Service
  call.about(manifest.metadata)
  const workload = await objects.get<Whole>(call, place, DEPLOYMENT, { namespace, name: kindName })
  const service = withSelector(manifest, workload)
  const policy = await policyOf(objects, call, instance, workload)
  await createTogether(objects, call, place, [
    ...(policy ? [{ type: PROPAGATION_POLICY, object: policyFor(service, policy) }] : []),
    { type: services.type, object: service, field: 'data' },
  ])
}

function withSelector(service: Service, workload: Whole): Service {
  const { selector, template } = workload.spec ?? {}
  if (service.spec?.selector === undefined) {
    const { matchLabels = {} } = (selector ?? {}) as {
      readonly matchLabels?: Readonly<Record<string, string>>
    }
    return { ...service, spec: { ...service.spec, selector: matchLabels } }
  }
  if (selectsPods(service, template?.metadata?.labels ?? {})) return service
  const { name } = workload.metadata
  throw invalidFields([
    {
      field: 'data.spec.selector',
      description: `does not select the pods of Deployment ${name}: leave it out to have them selected`,
    },
  ])
}

/** The policy that claims the workload. */
async function policyOf(
  objects: Objects,
  call: Call,
  instance: string,
  workload: KubeObject,
): Promise<PropagationPolicy | undefined> {
  const claim = claimOf(workload)
  if (!claim) return undefined
  const { kind, namespace, name } = claim
  const type = kind === 'PropagationPolicy' ? PROPAGATION_POLICY : CLUSTER_PROPAGATION_POLICY
  return objects.get<PropagationPolicy>(call, { instance }, type, { name, ...(namespace && { namespace }) })
}

/** The same clusters; a Service has no replicas to divide. */
function policyFor(service: Service, { spec }: PropagationPolicy): PropagationPolicy {
  const { namespace = '', name } = service.metadata
  const { replicaScheduling: _, ...placement } = spec.placement
  const apiVersion = apiVersionOf(services.type)
  const { kind } = services.type
  return {
    apiVersion: apiVersionOf(PROPAGATION_POLICY),
    kind: PROPAGATION_POLICY.kind,
    metadata: { name: policyName(namespace, name, `${apiVersion}, Kind=${kind}`), namespace },
    spec: { resourceSelectors: [{ apiVersion, kind, namespace, name }], placement },
  }
}
