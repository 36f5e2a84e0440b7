import type { KubeObject } from '../../../manifests/kube.js'
import { isNoCluster, isNotFound } from '../../../manifests/status-error.js'
import { invalidFields } from '../../errors/failure.js'
import type { ObjectType, Place } from '../../objects/object-type.js'
import type { ObjectCall, Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { cronJobs } from '../batch/cron-job.js'
import { jobs } from '../batch/job.js'
import { DAEMON_SET, DEPLOYMENT, STATEFUL_SET } from '../kind/object-types.js'
import { services } from './service.js'

/** The kinds by which lists show what belongs to one object, by the name that requests have for them. */
const KINDS: Readonly<Record<string, ObjectType>> = {
  Deployment: DEPLOYMENT,
  StatefulSet: STATEFUL_SET,
  DaemonSet: DAEMON_SET,
  Service: services.type,
  Job: jobs.type,
  CronJob: cronJobs.type,
}

/** An object whose parts a list shows. */
export interface Whole extends KubeObject {
  readonly spec?: {
    readonly selector?: unknown
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } }
  }
}

/** What `kind` and `kindName` of a request name together. */
export interface WholeFields {
  /** The enum's name: `KIND_UNSPECIFIED` for none. */
  readonly kind: string
  readonly kindName: string
}

/**
 * The type of a kind that pods may belong to, written as kubectl accepts it: `Deployment`, `deployment` or `deployments`.
 * @throws Failure INVALID_ARGUMENT for another kind
 */
export function typeOfWhole(kind: string): ObjectType {
  const given = kind.toLowerCase()
  const type = Object.values(KINDS).find(each => [each.kind.toLowerCase(), each.resource].includes(given))
  if (type) return type
  const kinds = Object.keys(KINDS).join(', ')
  throw invalidFields([
    { field: 'kind', description: `is ${JSON.stringify(kind)}, but must be one of ${kinds}` },
  ])
}

/**
 * The object of `kind` and `kindName`: undefined where the request has neither, null where there is no such object, to which
 * nothing belongs.
 * @throws Failure INVALID_ARGUMENT where the request has only one of them; StatusError 404 for a member that is not there
 */
export async function wholeOf(
  objects: Objects,
  call: ObjectCall,
  place: Place,
  namespace: string,
  { kind, kindName }: WholeFields,
): Promise<Whole | null | undefined> {
  const type = KINDS[kind]
  if (!type && !kindName) return undefined
  if (!type) throw invalidFields([{ field: 'kind', description: 'is required beside kindName' }])
  if (!kindName) throw invalidFields([{ field: 'kindName', description: 'is required beside kind' }])
  try {
    return await objects.get<Whole>(sideCall(call), place, type, { namespace, name: kindName })
  } catch (error) {
    if (isNotFound(error) && !isNoCluster(error)) return null
    throw error
  }
}
