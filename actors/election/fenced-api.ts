import { joined } from '../../ports/cancellation.js'
import type { KubeApi, KubeRequest } from '../../ports/kube-api.js'
import { type Leadership, NotLeadingError } from './leadership.js'

/**
 * The signal of the present term, by the clocks and not only by the last event: a process that was frozen or asleep may have
 * lost the lease before any timer could fire.
 * @throws NotLeadingError
 */
export function presentTerm(leadership: () => Leadership): AbortSignal {
  const { leading, signal } = leadership()
  if (!leading) throw new NotLeadingError()
  return signal
}

/**
 * An API over which only the leader sends requests: the one place where that is decided. Each request, a read too, is
 * preceded by a look at the clocks, and ends with the term. So an effect of several requests that outlives its term sends
 * none after it, whatever it does with its own signal.
 *
 * A request that is on its way when the term ends may still be executed; the lease's arithmetic leaves time for that, and
 * effects carry preconditions.
 */
export const fenced = (api: KubeApi, leadership: () => Leadership): KubeApi => ({
  ...described(api),
  async request<T>(request: KubeRequest): Promise<T> {
    const { signal, clear } = joined([request.signal, presentTerm(leadership)])
    return api.request<T>({ ...request, signal }).finally(clear)
  },
  async *watch(request) {
    const { signal, clear } = joined([request.signal, presentTerm(leadership)])
    try {
      yield* api.watch({ ...request, signal })
    } finally {
      clear()
    }
  },
  /** The connection belongs to its opener. */
  close: () => Promise.resolve(),
})

/** What an API says of its endpoint; a spread would leave out what a class has getters for. */
const described = ({ server, insecure, certificateAuthority, tlsServerName }: KubeApi) => ({
  server,
  ...(insecure !== undefined && { insecure }),
  ...(certificateAuthority !== undefined && { certificateAuthority }),
  ...(tlsServerName !== undefined && { tlsServerName }),
})
