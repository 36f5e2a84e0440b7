import type { KubeObject, ObjectMeta } from '../../../../manifests/kube.js'
import { notFound } from '../../../../playground/apiserver/api-status.js'
import type { KubeApi, KubeRequest, WatchEvent, WatchRequest } from '../../../../ports/kube-api.js'

type Named = Pick<ObjectMeta, 'name' | 'namespace' | 'labels'>

/** How many objects a cache asks for in a page: requests with this limit are a cache's. */
const PAGE_OF_A_CACHE = 500

const MAPS = { group: '', resource: 'configmaps' }

/**
 * ConfigMaps of a member that does only what a test has it do, in the test's own order. It does not select or divide lists: a request that
 * needs that of a member fails, so that no test rests on it.
 */
export class FakeMember implements KubeApi {
  readonly server = 'fake'
  /** Requests in their order, without those of caches. */
  readonly requests: KubeRequest[] = []
  /** False: a cache gets no list, and waits. */
  listsForCaches = true
  /** False: the type is not served, and is not found. */
  serves = true
  readonly #objects = new Map<string, KubeObject>()
  readonly #watches = new Set<(event: WatchEvent) => void>()
  #revision = 10

  constructor(...names: readonly string[]) {
    for (const name of names) this.put(name)
  }

  /** How many watches are open. */
  get watches(): number {
    return this.#watches.size
  }

  get revision(): string {
    return String(this.#revision)
  }

  /** Writes an object that watches do not see yet. @param path `name` or `namespace/name` */
  put(path: string, labels: Readonly<Record<string, string>> = {}): KubeObject {
    this.#revision += 1
    const [namespace = '', name] = path.includes('/') ? path.split('/') : ['default', path]
    const metadata: Named = { name: name ?? '', namespace, labels }
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { ...metadata, resourceVersion: this.revision },
    } as KubeObject
    this.#objects.set(`${namespace}/${name}`, object)
    return object
  }

  /** Has all watches see a change. */
  send(type: WatchEvent['type'], object: unknown): void {
    for (const watch of [...this.#watches]) watch({ type, object })
  }

  /** Ends all watches as an API server does that has forgotten their version: they are to list anew. */
  expire(): void {
    this.send('ERROR', { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' })
  }

  async request<T>(request: KubeRequest): Promise<T> {
    const isOfCache = request.query?.limit === PAGE_OF_A_CACHE
    if (!isOfCache) this.requests.push(request)
    else if (!this.listsForCaches) return ended(request.signal)
    const match = /^\/api\/v1\/(?:namespaces\/([^/]+)\/)?configmaps(?:\/(.+))?$/.exec(request.path)
    if (!match || !this.serves) throw notFound(MAPS, '')
    const [, namespace = '', name] = match
    if (name !== undefined) {
      const found = this.#objects.get(`${namespace}/${name}`)
      if (!found) throw notFound(MAPS, name)
      return found as T
    }
    const { labelSelector, fieldSelector, continue: token, limit } = request.query ?? {}
    const isDivided = limit !== undefined && limit !== PAGE_OF_A_CACHE && Number(limit) < this.#objects.size
    if (labelSelector || fieldSelector || token || isDivided)
      throw new Error('the fake member cannot do that')
    const items = [...this.#objects.values()].filter(
      ({ metadata }) => namespace === '' || metadata.namespace === namespace,
    )
    const metadata = { resourceVersion: this.revision }
    return { apiVersion: 'v1', kind: 'ConfigMapList', metadata, items } as T
  }

  async *watch({ path, signal, opened }: WatchRequest): AsyncIterable<WatchEvent> {
    const queue: WatchEvent[] = []
    const [, only] = /\/namespaces\/([^/]+)\//.exec(path) ?? []
    let wake = (): void => undefined
    const take = (event: WatchEvent) => {
      const { namespace } = (event.object as KubeObject).metadata ?? {}
      if (only !== undefined && namespace !== undefined && namespace !== only) return
      queue.push(event)
      wake()
    }
    this.#watches.add(take)
    signal?.addEventListener('abort', () => wake())
    opened?.()
    try {
      while (!signal?.aborted) {
        const next = queue.shift()
        if (next) yield next
        else
          await new Promise<void>(resolve => {
            wake = resolve
          })
      }
    } finally {
      this.#watches.delete(take)
    }
  }

  readonly close = async (): Promise<void> => undefined
}

const ended = (signal: AbortSignal | undefined): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error))
  })
