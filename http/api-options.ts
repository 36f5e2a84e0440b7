import type { Fleet } from '../ports/fleet.js'
import type { ImageRegistry } from '../ports/image-registry.js'
import type { ConnectIssuer } from '../ports/issuer-documents.js'
import type { KubeApi, KubeConnector } from '../ports/kube-api.js'
import type { Log } from '../ports/log.js'
import type { Meter } from '../ports/meter.js'
import type { ServiceAccounts } from '../ports/service-accounts.js'
import type { AuditSink } from './audit/audit.js'
import type { BrowserSignIn } from './console/issuer-logins.js'
import type { Readiness } from './health/readiness.js'
import type { KeysStatus } from './identity/oidc/issuer-keys.js'
import type { AnswerMemoryOptions } from './limits/answer-memory.js'
import type { SlowRequests } from './listener/listener.js'
import type { ServingCertificate } from './listener/serving-certificate.js'
import type { ProxyLimits } from './proxy/limits.js'
import type { LoginOptions } from './rest/login-document.js'
import type { InstanceMetrics } from './rpc/insight/handlers.js'
import type { WebhookOptions } from './webhook/deliveries-route.js'
import type { WorkersOptions } from './workers/front.js'

/** What the API depends on, and where it listens. */
export interface ApiOptions {
  readonly fleet: Fleet
  /** The host cluster under Kairship's own credential: it authenticates, authorizes and stores. */
  readonly host: KubeApi
  /** Connects to clusters that join or leave instances, by the kubeconfigs that callers give. */
  readonly connector: KubeConnector
  readonly log: Log
  /** Takes the audit records of all requests. */
  readonly auditSink: AuditSink
  /** How many audit events can be asked for; 10,000 when absent. */
  readonly auditRecentEvents?: number
  readonly meter: Meter
  /** `host:port` of REST over TLS. */
  readonly listen: string
  /** `host:port` of gRPC over TLS. */
  readonly grpcListen: string
  /** The listeners' certificate; a self-signed one for the addresses listened on when absent. */
  readonly tls?: ServingCertificate
  /** PEM of the authorities whose client certificates are accepted; none are when absent. */
  readonly clientCertificateAuthority?: string
  /** Issuers whose tokens are accepted beside those of the host: the file that configures them, and how they are reached. */
  readonly authentication?: {
    readonly file: string
    readonly connect: ConnectIssuer
    /** How long the last known keys of an issuer count while it cannot be read, milliseconds. */
    readonly graceMs: number
    /** How people log in at one of them; they cannot when absent. */
    readonly login?: LoginOptions
    /** How they sign in at one of them with a browser, at the console. */
    readonly browserSignIn?: BrowserSignIn
  }
  /** The folder of the built console, which REST serves; absent where it is left out. */
  readonly console?: string
  /** The Karmada version that is installed by default; callers receive '' when absent. */
  readonly karmadaVersion?: string
  /** Streams that one caller may hold open at once, over all wires. */
  readonly streamsPerCaller?: number
  /** `https://host:port` by which callers reach REST, where that is not the address listened on. */
  readonly externalUrl?: string
  /** Connections of one source at once on which no caller was accepted yet, on both listeners together; 0 for any number. */
  readonly unauthenticatedConnectionsPerSource?: number
  /** How long REST and the proxy wait for a request to arrive. */
  readonly slowRequests?: Partial<SlowRequests>
  /** How long a caller may leave an answer of REST unread, milliseconds; the proxy has a limit of its own. */
  readonly answerPatienceMs?: number
  /** Whether the proxy shows callers what they wrote before they came to this replica: through another, or one that ended. */
  readonly checkNewcomers?: boolean
  /** Kairship's own namespace on the host, with the Secret of its keys; `kairship-system` when absent. */
  readonly namespace?: string
  /** How long what an instance said of its callers' rights counts while it cannot be reached, milliseconds. */
  readonly rightsGraceMs?: number
  /** How long what the host last said of callers counts while it does not answer, milliseconds. */
  readonly hostGraceMs?: number
  /** The ServiceAccounts of the host, where they are watched: what a deleted one has open ends at once. */
  readonly accounts?: ServiceAccounts
  /** Where metrics of instances are queried; absent where nowhere. */
  readonly metrics?: InstanceMetrics
  /** The image registries that may be read. */
  readonly registries?: readonly ImageRegistry[]
  /** How deliveries of role bindings are verified and stored; there is no webhook when absent. */
  readonly webhook?: WebhookOptions
  /** What answers of instances may take of this process's memory; 192 MiB when absent. */
  readonly answerMemory?: AnswerMemoryOptions
  /** What the proxy lets through at once. */
  readonly proxyLimits?: Partial<ProxyLimits>
  /** Processes that pass reads of the proxy on beside this one; this one does everything when absent. */
  readonly workers?: WorkersOptions
  /** How long calls under way may go on once `close` was called. */
  readonly graceMs?: number
}

/** The running API. */
export interface Api {
  /** `https://host:port` of REST. */
  readonly url: string
  /** `host:port` of gRPC. */
  readonly grpcAddress: string
  /** PEM of what clients must trust, where it is known: always for a self-signed certificate. */
  readonly certificateAuthority?: string
  /** For `/readyz`, here and on the health listener: not ready from the moment `close` was called. */
  readiness(): Promise<Readiness>
  /** How the keys of the configured issuers are. */
  issuers(): readonly KeysStatus[]
  /** Reports not ready, ends streams properly, lets calls under way finish, closes. Idempotent. */
  close(): Promise<void>
}
