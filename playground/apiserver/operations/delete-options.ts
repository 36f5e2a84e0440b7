import { at, isObject, type Json, stringAt } from '../../apimachinery/json.js'
import { badRequest, customStatus } from '../api-status.js'

export type PropagationPolicy = 'Orphan' | 'Background' | 'Foreground'

/** meta/v1 DeleteOptions, from the query and the body of a DELETE. */
export interface DeleteOptions {
  readonly propagationPolicy?: PropagationPolicy
  readonly gracePeriodSeconds?: number
  readonly preconditions: { readonly uid?: string; readonly resourceVersion?: string }
  readonly dryRun: boolean
}

export const DELETE_NOW: DeleteOptions = { preconditions: {}, dryRun: false }

/** @throws StatusError 400 for values that mean nothing */
export function deleteOptions(query: URLSearchParams, body: Json | undefined): DeleteOptions {
  if (body !== undefined && !isObject(body))
    throw badRequest('the body of a delete must be a DeleteOptions object')
  const policy = stringAt(body, 'propagationPolicy') || (query.get('propagationPolicy') ?? '')
  const orphan = at(body, 'orphanDependents') ?? query.get('orphanDependents') ?? undefined
  const grace = at(body, 'gracePeriodSeconds') ?? query.get('gracePeriodSeconds') ?? undefined
  if (policy !== '' && orphan !== undefined) {
    throw badRequest('orphanDependents and deletionPropagation cannot be both set')
  }
  if (grace !== undefined && !Number.isInteger(Number(grace))) {
    throw badRequest(`gracePeriodSeconds: ${JSON.stringify(grace)} is not a whole number`)
  }
  const uid = stringAt(body, 'preconditions', 'uid')
  const resourceVersion = stringAt(body, 'preconditions', 'resourceVersion')
  const propagationPolicy = propagation(policy, orphan)
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: Number(grace) }),
    preconditions: { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) },
    dryRun:
      query.getAll('dryRun').includes('All') || JSON.stringify(at(body, 'dryRun') ?? null) === '["All"]',
  }
}

function propagation(policy: string, orphan: Json | undefined): PropagationPolicy | undefined {
  if (policy === '') {
    return orphan === undefined ? undefined : String(orphan) === 'true' ? 'Orphan' : 'Background'
  }
  if (policy === 'Orphan' || policy === 'Background' || policy === 'Foreground') return policy
  const message = `Unsupported value: "${policy}": supported values: "Background", "Foreground", "Orphan"`
  throw customStatus(
    422,
    'Invalid',
    `DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: ${message}`,
    {
      group: 'meta.k8s.io',
      kind: 'DeleteOptions',
      causes: [{ reason: 'FieldValueNotSupported', message, field: 'propagationPolicy' }],
    },
  )
}
