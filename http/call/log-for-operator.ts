import { ServiceError } from '../../ports/service-error.js'
import type { Call } from './call.js'

/**
 * The outcome of a request to a service beside Kubernetes. What only an operator can mend is logged with its cause: the caller
 * does not read files and certificates of Kairship.
 */
export async function logForOperator<T>({ log }: Pick<Call, 'log'>, outcome: Promise<T>): Promise<T> {
  try {
    return await outcome
  } catch (error) {
    if (error instanceof ServiceError && error.kind === 'gateway')
      log.warn({ err: error, reason: error.reason }, 'a service cannot be used')
    throw error
  }
}
