import { StatusError } from '../../../manifests/status-error.js'
import { invalidStatus, notSupported } from '../../apimachinery/field-error.js'
import { at, isObject, type Json, listAt, stringAt } from '../../apimachinery/json.js'
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

/**
 * Options of a deletion: from its body if it has one, and only else from its query, as kube-apiserver reads them.
 * @throws StatusError 400 or 422 for values that mean nothing
 */
export function deleteOptions(query: URLSearchParams, body: Json | undefined): DeleteOptions {
  if (body !== undefined && !isObject(body))
    throw badRequest('the body of a delete must be a DeleteOptions object')
  const given = (name: string): Json | undefined =>
    body === undefined ? (query.get(name) ?? undefined) : (at(body, name) ?? undefined)
  const policy = String(given('propagationPolicy') ?? '')
  const orphan = given('orphanDependents')
  const grace = given('gracePeriodSeconds')
  if (policy !== '' && orphan !== undefined) {
    throw badRequest('orphanDependents and deletionPropagation cannot be both set')
  }
  if (grace !== undefined && !Number.isInteger(Number(grace))) {
    throw badRequest(`gracePeriodSeconds: ${JSON.stringify(grace)} is not a whole number`)
  }
  const uid = stringAt(body, 'preconditions', 'uid')
  const resourceVersion = stringAt(body, 'preconditions', 'resourceVersion')
  const propagationPolicy = propagation(policy, orphan)
  const dryRun = body === undefined ? query.getAll('dryRun') : listAt(body, 'dryRun').map(String)
  if (dryRun.some(one => one !== 'All')) throw unsupportedDryRun(dryRun)
  return {
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(grace === undefined ? {} : { gracePeriodSeconds: Number(grace) }),
    preconditions: { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) },
    dryRun: dryRun.length > 0,
  }
}

const unsupportedDryRun = (values: readonly string[]): StatusError =>
  new StatusError(
    invalidStatus({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', [
      notSupported('dryRun', values, ['All']),
    ]),
  )

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
