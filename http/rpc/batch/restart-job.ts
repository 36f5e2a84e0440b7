import { pruned } from '../../../karmada/propagation/prune.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { isAlreadyExists } from '../../../manifests/status-error.js'
import { Code } from '../../../transcoding/code.js'
import type { Call } from '../../call/call.js'
import { Failure, failedPrecondition } from '../../errors/failure.js'
import type { Reason } from '../../errors/reasons.js'
import { toFailure } from '../../errors/to-failure.js'
import type { Objects } from '../../objects/objects.js'
import { type Job, jobs } from './job.js'

/** Which Job runs again. */
interface Request {
  readonly instance: string
  readonly namespace: string
  readonly name: string
  /** Empty for any. */
  readonly resourceVersion: string
}

/**
 * Runs a Job again. Its pods cannot be changed, so it is deleted and created anew, with all that its manifest said, its
 * labels and the claim of its policy. What would keep it from being created anew is found before it is deleted.
 * @returns the new Job
 * @throws Failure FAILED_PRECONDITION for a Job that is being deleted or held by finalizers, ABORTED for one that has changed;
 * StatusError
 */
export async function restartJob(objects: Objects, call: Call, request: Request): Promise<Job> {
  const { instance, namespace, name, resourceVersion } = request
  const place = { instance }
  const key = { namespace, name }
  const job = await objects.get<Job>(call, place, jobs.type, key)
  const what = `Job ${namespace}/${name} of ${instance}`
  if (resourceVersion && resourceVersion !== job.metadata.resourceVersion)
    throw new Failure(Code.ABORTED, `${what} has changed: read it again, and restart what you see then`, {
      reason: 'Conflict',
    })
  const { deletionTimestamp, finalizers = [], uid } = job.metadata
  if (deletionTimestamp)
    throw failedPrecondition(`${what} is being deleted: create it anew when it is gone`, {
      reason: 'Deleting',
    })
  if (finalizers.length > 0)
    throw failedPrecondition(
      `${what} would stay after its deletion until ${finalizers.join(', ')} is done: take the finalizers away first`,
      { reason: 'Finalizers' },
    )
  const again = anew(job)
  await refuseUncreatable(objects, call, instance, again)
  await objects.remove(call, place, jobs.type, key, {
    ...(uid && { uid }),
    ...(resourceVersion && { resourceVersion }),
  })
  try {
    return await objects.create(call, place, jobs.type, again)
  } catch (error) {
    const failure = toFailure(error)
    throw new Failure(
      failure.code,
      `${what} was deleted, but could not be created anew: ${failure.message}. Create it from its manifest`,
      { ...failure.details, reason: 'JobLost' satisfies Reason },
    )
  }
}

/** The Job as its manifest made it. */
function anew(job: Job): Job & KubeObject {
  const fresh = pruned(job) as Job
  const ttl = job.spec?.ttlSecondsAfterFinished
  return ttl === undefined ? fresh : { ...fresh, spec: { ...fresh.spec, ttlSecondsAfterFinished: ttl } }
}

/** The API server checks rights, quotas and webhooks before it sees that the Job is still there. */
async function refuseUncreatable(objects: Objects, call: Call, instance: string, job: Job): Promise<void> {
  try {
    await objects.create(call, { instance }, jobs.type, job, { dryRun: true })
  } catch (error) {
    if (!isAlreadyExists(error)) throw error
  }
}
