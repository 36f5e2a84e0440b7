import type { Labels } from '../../ports/meter.js'
import type { FailureDetails } from '../errors/failure.js'
import type { Caller } from '../identity/caller.js'
import type { ClientCertificate } from '../identity/certificate.js'
import type { SlowRequests } from '../listener/listener.js'
import type { CircuitState } from '../proxy/circuit/circuit.js'
import type { Route } from '../proxy/route/route.js'

/** A Failure on its way between two processes: without its cause, which is logged where it was found. */
export interface FailureMessage {
  readonly code: number
  readonly message: string
  readonly details: Omit<FailureDetails, 'cause'>
}

/** What a worker needs before it takes connections. Holds the private key: it travels over the pipe between the two processes alone. */
export interface WorkerSettings {
  readonly certificate: string
  readonly key: string
  /** 48 bytes in base64, the same for all workers: a session of TLS that one began is resumed by any. */
  readonly ticketKeys: string
  readonly clientCertificateAuthority?: string | undefined
  readonly slowRequests: SlowRequests
  /** Milliseconds a caller may leave an answer of the proxy unread. */
  readonly patienceMs: number
  /** The Unix socket of the parent for what the worker does not answer itself. */
  readonly relaySocket: string
  /** Proves to the parent which worker opened a connection to that socket. */
  readonly relaySecret: string
}

/** What a worker reads of a request that it wants to pass on. It is a GET without a body. */
export interface AskedRequest {
  readonly url: string
  readonly authorization?: string | undefined
  readonly accept?: string | undefined
  readonly userAgent?: string | undefined
  readonly requestId?: string | undefined
  readonly kubectlCommand?: string | undefined
}

/** From the parent to a worker. Numbers name what the sender numbered: calls and connections, callers and endpoints. */
export type ToWorker =
  | { readonly is: 'start'; readonly settings: WorkerSettings }
  /** Sent before the first decision that names it. */
  | { readonly is: 'caller'; readonly caller: number; readonly who: Caller }
  /** No caller that was sent is named any more. */
  | { readonly is: 'forget callers' }
  /** Sent before the first decision that names it. The kubeconfig has no credential. */
  | {
      readonly is: 'endpoint'
      readonly endpoint: number
      readonly instance: string
      /** Its address, for messages. */
      readonly server: string
      readonly kubeconfig: string
      readonly token: string
    }
  | { readonly is: 'token'; readonly endpoint: number; readonly token: string }
  /** The instance is gone, or reached by another connection from now on: what is under way there ends. */
  | { readonly is: 'closed'; readonly endpoint: number }
  /** The caller may send the request, and the instance's control plane answers it. */
  | {
      readonly is: 'pass'
      readonly call: number
      readonly caller: number
      readonly endpoint: number
      readonly route: Route
      readonly requestId: string
    }
  /** The parent answers the request: the worker passes it to the relay socket. */
  | { readonly is: 'relay'; readonly call: number }
  | {
      readonly is: 'refuse'
      readonly call: number
      readonly failure: FailureMessage
      readonly requestId: string
    }
  /** The caller has lost the right. */
  | { readonly is: 'cut'; readonly call: number; readonly failure: FailureMessage }
  | { readonly is: 'stop'; readonly graceMs: number }

/** From a worker to the parent. */
export type ToParent =
  | { readonly is: 'ready' }
  /** Sent before the first request of a connection that shows a verified certificate. */
  | { readonly is: 'certificate'; readonly connection: number; readonly certificate: ClientCertificate }
  | { readonly is: 'ended'; readonly connection: number }
  | {
      readonly is: 'ask'
      readonly call: number
      readonly connection: number
      readonly request: AskedRequest
    }
  /** An answer has begun that goes on for long. */
  | { readonly is: 'begun'; readonly call: number; readonly status: number }
  /** Once for each `ask` that was answered; status 0 where the caller received no answer. */
  | {
      readonly is: 'over'
      readonly call: number
      readonly status: number
      readonly failure?: FailureMessage | undefined
    }
  /** The endpoint refused the token, or forbade a request. */
  | { readonly is: 'refused' | 'forbade'; readonly endpoint: number }
  | {
      readonly is: 'circuit'
      readonly server: string
      readonly from: CircuitState
      readonly to: CircuitState
    }
  | { readonly is: 'count'; readonly name: string; readonly labels: Labels }
  | {
      readonly is: 'log'
      readonly level: 'info' | 'warn' | 'error'
      readonly fields: Readonly<Record<string, unknown>>
      readonly message: string
    }
