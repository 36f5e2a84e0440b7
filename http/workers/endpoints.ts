import type { AccountTokens, Upstream } from '../../ports/kube-api.js'
import type { GuardedUpstream } from '../proxy/circuit/circuit-upstream.js'
import { Circuits } from '../proxy/circuit/circuits.js'
import type { ToParent, ToWorker } from './messages.js'

/** An endpoint that is closed when it is not used any more. */
export interface ClosableUpstream extends Upstream {
  close(): Promise<void>
}

/** Makes an endpoint. No connection is opened before the first request. @param server its address, for messages */
export type ConnectEndpoint = (server: string, kubeconfig: string, tokens: AccountTokens) => ClosableUpstream

interface Endpoint {
  readonly instance: string
  readonly upstream: ClosableUpstream
  token: string
}

/** The control planes of instances that a worker sends to, each behind circuits of its own: a worker sees by itself what does not answer. */
export class Endpoints {
  readonly #known = new Map<number, Endpoint>()
  readonly #circuits: Circuits

  constructor(
    private readonly connect: ConnectEndpoint,
    private readonly send: (message: ToParent) => void,
    now: () => number,
  ) {
    this.#circuits = new Circuits(now, (server, from, to) => send({ is: 'circuit', server, from, to }))
  }

  add({
    endpoint,
    instance,
    server,
    kubeconfig,
    token,
  }: Extract<ToWorker, { readonly is: 'endpoint' }>): void {
    const upstream = this.connect(server, kubeconfig, {
      token: () => known.token,
      refused: () => this.send({ is: 'refused', endpoint }),
      forbade: () => this.send({ is: 'forbade', endpoint }),
    })
    const known: Endpoint = { instance, upstream, token }
    this.#known.set(endpoint, known)
  }

  renew({ endpoint, token }: Extract<ToWorker, { readonly is: 'token' }>): void {
    const known = this.#known.get(endpoint)
    if (known) known.token = token
  }

  /** The way to an endpoint; undefined where it was closed. */
  get(endpoint: number): GuardedUpstream | undefined {
    const known = this.#known.get(endpoint)
    return known && this.#circuits.guard(known.instance, known.upstream)
  }

  /** Ends what is under way there. */
  async close(endpoint: number): Promise<void> {
    const known = this.#known.get(endpoint)
    if (!known) return
    this.#known.delete(endpoint)
    const instances = new Set([...this.#known.values()].map(({ instance }) => instance))
    this.#circuits.keepOnly(instance => instances.has(instance))
    await known.upstream.close()
  }
}
