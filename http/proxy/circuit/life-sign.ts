import type { Sender } from '../../../ports/kube-api.js'

/** How long a server may take for the head of any answer. A kube-apiserver takes milliseconds, and a second on a busy machine. */
const TIMEOUT_MS = 3_000

/**
 * Whether a server answers anything at this path, over a connection of its own: requests that wait hold the others. Any
 * status is an answer. Never rejects.
 */
export function answersAt(upstream: Sender, path: string): Promise<boolean> {
  return new Promise(resolve => {
    const settle = (answers: boolean) => {
      clearTimeout(timer)
      resolve(answers)
    }
    const timer = setTimeout(() => {
      settle(false)
      exchange.abort(new Error('no sign of life'))
    }, TIMEOUT_MS)
    const exchange = upstream.send(
      {
        method: 'GET',
        path,
        headers: ['Accept', 'application/json', 'User-Agent', 'kairship'],
        long: true,
        headTimeoutMs: 0,
      },
      {
        head() {
          settle(true)
          // Not while the head is being taken: the exchange may not be known here yet.
          queueMicrotask(() => exchange.abort(new Error('there is a sign of life')))
        },
        data: () => true,
        end: () => settle(true),
        failed: () => settle(false),
      },
    )
  })
}
