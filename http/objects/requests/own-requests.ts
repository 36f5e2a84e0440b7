import type { KubeApi, KubeRequest } from '../../../ports/kube-api.js'
import { apiOf } from '../../proxy/proxy-request.js'
import { hold, instanceOf } from '../../proxy/target.js'
import type { ObjectCall } from '../objects.js'
import type { ObjectRequestOptions } from './object-requests.js'

/** Reads of an instance under Kairship's own credential. The reader decides which part of an answer is for the caller. */
export interface OwnReads {
  /**
   * The answer to one GET.
   * @param request.path absolute and encoded
   * @throws Failure NOT_FOUND and UNAVAILABLE for an instance that is not there or cannot be reached; what
   * `OwnConnection.request` throws
   */
  get<T>(call: ObjectCall, instance: string, request: Pick<KubeRequest, 'path' | 'query'>): Promise<T>
}

/** Requests to an instance under Kairship's own credential, for a caller who may not make them. */
export interface OwnRequests extends OwnReads {
  /**
   * The connection to an instance, for requests that belong together: all go to one control plane, also when the instance gets a new
   * kubeconfig in between.
   * @throws Failure NOT_FOUND and UNAVAILABLE for an instance that is not there or cannot be reached
   */
  connect(call: ObjectCall, instance: string): Promise<OwnConnection>
}

/** One control plane under Kairship's own credential, for one call. */
export interface OwnConnection {
  /** Where the control plane is, for kubeconfigs. */
  readonly endpoint: Pick<KubeApi, 'server' | 'certificateAuthority' | 'tlsServerName' | 'insecure'>
  /**
   * The answer to one request, which ends with its call. It takes a slot of the caller's and of the instance's limits, and goes
   * through the circuit. It is never sent twice.
   * @throws Failure RESOURCE_EXHAUSTED at the limits, UNAVAILABLE while the circuit is open; what `KubeApi.request` throws
   */
  request<T>(
    request: Pick<KubeRequest, 'method' | 'path' | 'query' | 'body' | 'impersonate' | 'maxAnswerBytes'>,
  ): Promise<T>
}

/** Requests over the parts that requests of callers pass. */
export function ownRequestsOf({ parts, instances }: ObjectRequestOptions): OwnRequests {
  const connect = async (call: ObjectCall, instance: string): Promise<OwnConnection> => {
    await instances.sameAsWritten(instance, call)
    const target = instanceOf(parts, instance)
    const api = apiOf(target)
    return {
      endpoint: target.karmada.api,
      async request(request) {
        const release = hold(parts, instance, call.caller, false)
        try {
          return await api.request({ ...request, signal: call.signal })
        } finally {
          release()
        }
      },
    }
  }
  return {
    connect,
    get: async (call, instance, request) =>
      (await connect(call, instance)).request({ method: 'GET', ...request }),
  }
}
