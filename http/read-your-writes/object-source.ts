import { type GroupVersionResource, resourcePath } from '../../manifests/kube.js'
import { StatusError } from '../../manifests/status-error.js'
import type { KubeApi, Sender } from '../../ports/kube-api.js'
import type { ObjectSource } from './catch-up.js'
import type { ShownItem, ShownList } from './shown-list.js'

const METADATA = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'
/** How long the index or the instance may take; a read waits for it. */
const TIMEOUT_MS = 5_000
/** As much as a connection reads of any answer. */
const MOST_BYTES = 64 << 20

/** The instance itself, read under Kairship's own credential. */
export const instanceObjects = (api: Pick<KubeApi, 'request'>): ObjectSource => ({
  list: async (type, { namespace, names }) => {
    const [only] = names ?? []
    const within = only?.namespace || namespace
    try {
      return shownList(
        await api.request({
          method: 'GET',
          path: resourcePath(type, within ? { namespace: within } : {}),
          query: { fieldSelector: only && `metadata.name=${only.name}` },
          accept: METADATA,
          timeoutMs: TIMEOUT_MS,
        }),
      )
    } catch (error) {
      // A type that is not served, such as one whose definition was deleted.
      if (error instanceof StatusError && error.status.code === 404) return { items: [] }
      throw error
    }
  },
})

/** An index that speaks Clusterpedia's read API. */
export const indexObjects = (upstream: Sender): ObjectSource => ({
  list: async (type: GroupVersionResource, { namespace, names }) => {
    const query = new URLSearchParams()
    if (names) query.set('names', [...new Set(names.map(({ name }) => name))].join())
    const namespaces = [...new Set(names?.map(({ namespace }) => namespace))]
    if (namespaces.length > 0 && namespaces.every(Boolean)) query.set('namespaces', namespaces.join())
    const path = resourcePath(type, namespace ? { namespace } : {})
    return shownList(JSON.parse(await read(upstream, `${path}?${query}`)))
  },
})

/** @throws Error when the answer is not a list of objects with their metadata */
function shownList(answer: unknown): ShownList {
  const {
    kind,
    metadata,
    items: given,
  } = (answer ?? {}) as Readonly<Record<string, unknown>> & {
    readonly metadata?: { readonly resourceVersion?: unknown }
  }
  // Clusterpedia is written in Go, where a list that nothing was put into is written as null.
  const items = given === null && typeof kind === 'string' && kind.endsWith('List') ? [] : given
  if (!Array.isArray(items)) throw new Error('the answer is not a list')
  const version = metadata?.resourceVersion
  return {
    items: items.map(itemOf),
    ...(typeof version === 'string' && version !== '' && { resourceVersion: version }),
  }
}

function itemOf(item: { readonly metadata?: Readonly<Record<string, unknown>> } | null): ShownItem {
  const { namespace = '', name, uid, resourceVersion, deletionTimestamp } = item?.metadata ?? {}
  if (
    typeof namespace !== 'string' ||
    typeof name !== 'string' ||
    typeof uid !== 'string' ||
    typeof resourceVersion !== 'string'
  )
    throw new Error('the answer holds an item without name, uid or resourceVersion')
  return { namespace, name, uid, resourceVersion, deleting: typeof deletionTimestamp === 'string' }
}

/** @throws Error when the answer is not good, or does not come */
function read(upstream: Sender, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let size = 0
    const exchange = upstream.send(
      {
        method: 'GET',
        path,
        headers: ['Accept', METADATA, 'User-Agent', 'kairship'],
        long: false,
        headTimeoutMs: TIMEOUT_MS,
        idleTimeoutMs: TIMEOUT_MS,
      },
      {
        head(status) {
          if (status !== 200) exchange.abort(new Error(`it answered ${status}`))
        },
        data(chunk) {
          size += chunk.length
          if (size > MOST_BYTES) exchange.abort(new Error(`its answer is larger than ${MOST_BYTES} bytes`))
          else chunks.push(chunk)
          return true
        },
        end: () => resolve(Buffer.concat(chunks).toString('utf8')),
        failed: reject,
      },
    )
  })
}
