import type { KubeRequest } from '../../ports/kube-api.js'
import { apiOf } from '../proxy/proxy-request.js'
import { hold, instanceOf } from '../proxy/target.js'
import type { ObjectRequestOptions } from './object-requests.js'
import type { ObjectCall } from './objects.js'

/**
 * Reads of an instance under Kairship's own credential, for a caller who may not make them. What is read is Kairship's: its
 * reader decides which part of it is the caller's to know.
 */
export interface OwnReads {
  /**
   * The answer to one GET. It takes a place of the caller's and of the instance's limits, and goes through the circuit.
   * @param request.path absolute and encoded
   * @throws Failure NOT_FOUND and UNAVAILABLE for an instance that is not there or cannot be reached, RESOURCE_EXHAUSTED at
   * the limits; what `KubeApi.request` throws
   */
  get<T>(call: ObjectCall, instance: string, request: Pick<KubeRequest, 'path' | 'query'>): Promise<T>
}

/** Reads over the parts that requests of callers pass. */
export const ownReadsOf = ({ parts, instances }: ObjectRequestOptions): OwnReads => ({
  async get<T>(call: ObjectCall, instance: string, request: Pick<KubeRequest, 'path' | 'query'>) {
    await instances.sameAsWritten(instance, call)
    const api = apiOf(instanceOf(parts, instance))
    const release = hold(parts, instance, call.caller, false)
    try {
      return await api.request<T>({ method: 'GET', ...request, signal: call.signal })
    } finally {
      release()
    }
  },
})
