import { dependenciesOf } from '../../../karmada/interpreter/dependencies.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isNotFound } from '../../../manifests/status-error.js'
import type { Call } from '../../call/call.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import { configMaps } from '../core/config-map.js'
import { secrets } from '../core/secret.js'
import { services } from '../core/service.js'
import { type Promoted, promote } from '../create/promote.js'
import { deployments } from './deployment.js'

/** What goes along with a Deployment. Accounts and volumes stay with the member: they hold its own tokens and data. */
const DEPENDENCIES: Readonly<Record<string, ObjectType>> = {
  ConfigMap: configMaps.type,
  Secret: secrets.type,
}
/** Kubernetes makes it in every namespace of every cluster. */
const OWN_ROOT_CA = 'kube-root-ca.crt'

/** Which Deployment of a member is promoted. */
interface Request {
  readonly instance: string
  readonly cluster: string
  readonly namespace: string
  readonly name: string
  readonly services: readonly string[]
  readonly dryRun: boolean
}

/**
 * Adopts a Deployment with the Services that are named and with the ConfigMaps and Secrets that its pods use. A ConfigMap or
 * Secret that the control plane has already stays as it is there.
 * @throws what `promote` throws
 */
export async function promoteDeployment(
  objects: Objects,
  call: Call,
  { instance, cluster, namespace, name, services: named, dryRun }: Request,
): Promise<void> {
  const member = { instance, cluster }
  const deployment = await objects.get(call, member, deployments.type, { namespace, name })
  const dependencies: Promoted[] = []
  for (const { kind, name = '' } of dependenciesOf(deployment)) {
    const type = DEPENDENCIES[kind]
    if (!type || name === OWN_ROOT_CA) continue
    const key = { namespace, name }
    const [there, here] = await Promise.all([
      find(objects, call, member, type, key),
      find(objects, call, { instance }, type, key),
    ])
    // A pod may do without what is optional.
    if (there && !here) dependencies.push({ type, key })
  }
  const promoted: readonly [Promoted, ...Promoted[]] = [
    { type: deployments.type, key: { namespace, name } },
    ...[...new Set(named)].map(service => ({ type: services.type, key: { namespace, name: service } })),
    ...dependencies,
  ]
  await promote(objects, call, member, promoted, { dryRun })
}

async function find(
  objects: Objects,
  call: Call,
  place: Place,
  type: ObjectType,
  key: { readonly namespace: string; readonly name: string },
): Promise<KubeObject | undefined> {
  try {
    return await objects.get(call, place, type, key)
  } catch (error) {
    if (isNotFound(error)) return undefined
    throw error
  }
}
