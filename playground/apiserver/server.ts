import { join } from 'node:path'
import type { GroupVersionResource } from '../../manifests/kube.js'
import type { KubeApi } from '../../ports/kube-api.js'
import type { Log } from '../../ports/log.js'
import { builtinDefinitions } from '../apimachinery/builtin/builtin-definitions.js'
import type { JsonObject } from '../apimachinery/json.js'
import { Authenticator, type TokenAuthenticator } from './access/authenticator.js'
import { Authorizer } from './access/authorizer.js'
import { freshIdentity, keepPort, keptIdentity } from './access/identity.js'
import { kubeconfigFor } from './access/kubeconfig.js'
import { LOCAL_ADMIN } from './access/user.js'
import type { Webhooks } from './admission/webhooks.js'
import { answer } from './answer.js'
import { bootstrap } from './bootstrap.js'
import { type AggregatedApi, Aggregation } from './catalogue/aggregation.js'
import { builtinTypes, Catalogue } from './catalogue/catalogue.js'
import type { Cluster } from './cluster.js'
import { Controllers } from './controllers/controllers.js'
import type { PodConnection } from './endpoints/kubelet.js'
import { DEFAULT_GIT_VERSION } from './endpoints/version.js'
import { type Fault, Faults } from './faults.js'
import { localApi } from './local-api.js'
import { type Aggregated, aggregate } from './operations/aggregate.js'
import { type Follower, follow } from './operations/follow.js'
import { OpenWatches } from './operations/open-watches.js'
import { Store } from './store/store.js'
import type { ApiRequest, ApiResponse } from './wire/exchange.js'
import { listen } from './wire/listener.js'

/** How one logical cluster is started. */
export interface ApiServerOptions {
  /** Names the cluster in its kubeconfigs and its CA; unique within a process. */
  readonly name: string
  /** 0 or absent: a free one. Always on 127.0.0.1. */
  readonly port?: number
  /** Keeps everything here, safe against crashes; in memory when absent. A folder serves one running server. */
  readonly dataDir?: string
  /** Bearer tokens this server does not issue itself. */
  readonly extraAuthenticators?: readonly TokenAuthenticator[]
  /** Milliseconds since the epoch; the machine's clock by default. */
  readonly clock?: () => number
  readonly log?: Log
  /** CustomResourceDefinitions that are there from the first moment, from `installedTypes`. */
  readonly installedTypes?: readonly JsonObject[]
  /** Gives namespaces their `default` ServiceAccount and root CA ConfigMap (default true); Karmada's control planes do not. */
  readonly defaultAccounts?: boolean
  /** What /version reports, e.g. `v1.34.2`. */
  readonly gitVersion?: string
  readonly webhooks?: Webhooks
  /** Milliseconds from the deletion of a namespace until it is emptied; none unless given. kube-controller-manager waits 5 s. */
  readonly namespaceGraceMs?: number
  /** Answers logs, exec, attach and port-forward of its pods; a cluster without nodes has none. */
  readonly kubelet?: PodConnection
}

/** One running logical cluster. */
export interface ApiServer {
  readonly name: string
  /** https://127.0.0.1:{port} */
  readonly url: string
  /** PEM. Signs the serving certificate and the client certificates. */
  readonly certificateAuthority: string
  /** The API from within the process, as system:masters: no socket, no copies (answers are frozen). */
  readonly local: KubeApi
  /** Answers a request as it would come over the wire, as system:masters: for what passes requests on to this server. */
  pass(request: ApiRequest): Promise<ApiResponse>
  /** Follows a type from within the process; undefined while the store does not serve it. */
  follow(type: GroupVersionResource, follower: Follower): (() => void) | undefined
  /** A kubeconfig whose client certificate names this user. */
  kubeconfig(user: { readonly name: string; readonly groups?: readonly string[] }): Promise<string>
  /** A kubeconfig with a bearer token, valid for a year by default. */
  tokenKubeconfig(
    user: { readonly name: string; readonly groups?: readonly string[] },
    seconds?: number,
  ): Promise<string>
  /** A bearer token for a user from outside the cluster. */
  issueToken(
    user: { readonly name: string; readonly groups?: readonly string[] },
    seconds: number,
  ): Promise<string>
  /** Serves a group and version that another server would serve, and lists it as an APIService. */
  aggregate(api: AggregatedApi): Promise<Aggregated>
  /** Makes something go wrong, for tests. The returned function makes it right again. */
  interrupt(fault: Fault): () => void
  /** Ends watches, lets answers finish for a moment, and stops listening. Idempotent. */
  close(): Promise<void>
}

const SILENT: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => SILENT,
}
/** A quiet cluster lets go of history that is older than etcd would keep it. */
const SWEEP_AGE_MS = 5 * 60_000
const SWEEP_MS = 60_000
/** How long answers may take to finish when the server is closed. */
const CLOSE_GRACE_MS = 500

/** Starts one logical cluster: a Kubernetes API server of its own, in this process, on its own port, under its own CA. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const now = options.clock ?? Date.now
  const log = options.log ?? SILENT
  const { dataDir } = options
  const identity = dataDir
    ? await keptIdentity(dataDir, options.name, now)
    : await freshIdentity(options.name, now)
  const { authority } = identity
  const store = new Store(now)
  const faults = new Faults()
  const onSnapshotFailed = (error: unknown) =>
    log.warn(
      { cluster: options.name, error },
      'a snapshot could not be written, or what it replaces not be removed; nothing is lost',
    )
  if (dataDir) await store.keepIn(join(dataDir, 'objects'), faults.files, onSnapshotFailed)
  const closing = new AbortController()
  let address = ''
  const cluster: Cluster = {
    name: options.name,
    store,
    catalogue: new Catalogue(builtinTypes(builtinDefinitions)),
    aggregation: new Aggregation(),
    authorizer: new Authorizer(store),
    authority,
    tokens: identity.tokens,
    watches: new OpenWatches(),
    ...(options.kubelet && { kubelet: options.kubelet }),
    ...(options.webhooks && { webhooks: options.webhooks }),
    ...(options.namespaceGraceMs !== undefined && { namespaceGraceMs: options.namespaceGraceMs }),
    gitVersion: options.gitVersion ?? DEFAULT_GIT_VERSION,
    log,
    now,
    address: () => address,
    delay: (milliseconds: number) => delay(milliseconds, closing.signal),
    collection: (id: string) => store.collection(id),
  }
  await bootstrap(cluster, options.installedTypes)
  const controllers = new Controllers(cluster, { defaults: options.defaultAccounts ?? true })
  const guards = {
    authenticator: new Authenticator(cluster, options.extraAuthenticators ?? []),
    authorizer: cluster.authorizer,
  }
  const port = options.port ?? identity.port ?? 0
  const listener = await listen(
    {
      port,
      serving: authority.issueServing(),
      clientAuthority: authority.certificate,
    },
    request => faults.around(request, () => answer(cluster, guards, request)),
    () => faults.accepts,
  ).catch(async cause => {
    await controllers.close()
    await store.close()
    throw new Error(`the API server ${options.name} cannot listen on 127.0.0.1:${port}: ${cause.message}`, {
      cause,
    })
  })
  const sweeper = setInterval(() => store.sweep(SWEEP_AGE_MS), SWEEP_MS)
  sweeper.unref()
  faults.attach(cluster, listener)
  if (dataDir) await keepPort(dataDir, listener.port)
  address = `127.0.0.1:${listener.port}`
  const url = `https://${address}`
  const pass = (request: ApiRequest) => answer(cluster, guards, request, LOCAL_ADMIN)
  const local = localApi(url, pass)
  const place = { name: options.name, server: url, certificateAuthority: authority.certificate }
  const issueToken: ApiServer['issueToken'] = ({ name, groups = [] }, seconds) =>
    cluster.tokens.issueUser({ name, groups }, seconds)
  let closed: Promise<void> | undefined

  return {
    name: options.name,
    url,
    certificateAuthority: authority.certificate,
    local,
    async kubeconfig({ name, groups = [] }) {
      return kubeconfigFor(place, name, { clientCertificate: authority.issueClient({ name, groups }) })
    },
    async tokenKubeconfig(user, seconds = 365 * 86_400) {
      return kubeconfigFor(place, user.name, { token: await issueToken(user, seconds) })
    },
    issueToken,
    pass,
    follow: (type, follower) => follow(cluster, type, follower),
    aggregate: api => aggregate(cluster, api),
    interrupt: fault => faults.start(fault),
    close() {
      closed ??= (async () => {
        clearInterval(sweeper)
        closing.abort()
        await local.close()
        cluster.watches.endAll()
        await controllers.close()
        await listener.close(CLOSE_GRACE_MS)
        await store.close()
      })()
      return closed
    },
  }
}

function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, milliseconds)
    signal.addEventListener('abort', done, { once: true })
    if (signal.aborted) done()
  })
}
