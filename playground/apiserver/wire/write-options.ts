import { StatusError } from '../../../manifests/status-error.js'
import { managerOf } from '../../apimachinery/apply/apply-update.js'
import {
  type FieldError,
  forbidden,
  invalidStatus,
  notSupported,
  required,
} from '../../apimachinery/field-error.js'
import type { WriteOptions } from '../operations/target.js'
import { type ApiRequest, type Caller, header } from './exchange.js'

/** What the options of a request are called. */
const KINDS: Readonly<Record<string, string>> = {
  POST: 'CreateOptions',
  PUT: 'UpdateOptions',
  PATCH: 'PatchOptions',
}
const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn']
const MANAGER_LENGTH = 128

/** What a write's query parameters say. @throws StatusError 422 for values that mean nothing */
export function writeOptions(request: ApiRequest, caller: Caller): WriteOptions {
  const { query } = request
  const errors = optionErrors(request)
  if (errors.length > 0) {
    const kind = { group: 'meta.k8s.io', kind: KINDS[request.method] ?? '' }
    throw new StatusError(invalidStatus(kind, '', errors))
  }
  return {
    user: caller.user,
    dryRun: query.getAll('dryRun').includes('All'),
    fieldManager: managerOf(query.get('fieldManager') ?? undefined, header(request, 'user-agent')),
    fieldValidation: (query.get('fieldValidation') || 'Warn') as WriteOptions['fieldValidation'],
    force: isTrue(query.get('force')),
    warn: sentence => caller.warnings.push(sentence),
  }
}

function optionErrors(request: ApiRequest): FieldError[] {
  const { query } = request
  const errors: FieldError[] = []
  const dryRun = query.getAll('dryRun').filter(one => one !== '')
  if (dryRun.some(one => one !== 'All')) errors.push(notSupported('dryRun', dryRun, ['All']))
  const manager = query.get('fieldManager') ?? ''
  if (manager.length > MANAGER_LENGTH) {
    const body = `Too long: may not be more than ${MANAGER_LENGTH} bytes`
    errors.push({ reason: 'FieldValueTooLong', field: 'fieldManager', body })
  }
  const validation = query.get('fieldValidation') ?? ''
  if (!VALIDATIONS.includes(validation)) errors.push(notSupported('fieldValidation', validation, VALIDATIONS))
  if (request.method !== 'PATCH') return errors
  const applies = header(request, 'content-type').startsWith('application/apply-patch+yaml')
  if (applies && manager === '') errors.push(required('fieldManager', 'is required for apply patch'))
  if (!applies && query.has('force')) {
    errors.push(forbidden('force', 'may not be specified for non-apply patch'))
  }
  return errors
}

const isTrue = (value: string | null): boolean => value === 'true' || value === '1'
