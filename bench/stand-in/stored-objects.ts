import { randomUUID } from 'node:crypto'
import type { KubeObject, ObjectMeta } from '../../manifests/kube.js'
import { StatusError } from '../../manifests/status-error.js'
import type { JsonObject } from '../../playground/apimachinery/json.js'
import { jsonPatch } from '../../playground/apimachinery/patch/json-patch.js'
import { mergePatch } from '../../playground/apimachinery/patch/merge-patch.js'
import type { StandInAnswer, StandInRequest } from './listener.js'

/** An object of any type. */
export type Stored = KubeObject & { readonly spec?: unknown; readonly status?: unknown }

interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  /** Of its collection over all namespaces. */
  readonly collection: string
  readonly object: Stored
  readonly revision: number
  readonly line: string
}

/** So many changes are remembered for watches that resume; who is further behind lists again. */
const REMEMBERED = 200_000
const MERGE_PATCH = 'application/merge-patch+json'
const JSON_PATCH = 'application/json-patch+json'

/** Says how a collection of the path is addressed: `/apis/g/v/namespaces/n/things/x/status` is in `/apis/g/v/things`. */
const ADDRESS =
  /^(?<root>\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/(?<type>[^/]+)(?:\/(?<name>[^/]+))?(?<subresource>\/status)?$/

/**
 * The objects of one cluster with as much of Kubernetes as Kairship's controllers need of their host: versions, generations, conflicts,
 * finalizers, lists by pages, watches. It checks no schema, no rights and no field owners, which is most of what an API server costs.
 */
export class StoredObjects {
  /** By collection, then by `namespace/name`. */
  readonly #collections = new Map<string, Map<string, { readonly object: Stored; readonly text: string }>>()
  #revision = 1
  readonly #changes: Change[] = []
  readonly #watchers = new Set<(change: Change) => void>()

  /** Calls back with each change of a collection. */
  follow(collection: string, changed: (type: Change['type'], object: Stored) => void): () => void {
    const watcher = (change: Change): void => {
      if (change.collection === collection) changed(change.type, change.object)
    }
    this.#watchers.add(watcher)
    return () => this.#watchers.delete(watcher)
  }

  values(collection: string): readonly Stored[] {
    return [...(this.#collections.get(collection)?.values() ?? [])].map(({ object }) => object)
  }

  /** @throws never: what is refused is answered as a Status */
  answer(request: StandInRequest): StandInAnswer {
    try {
      return this.#answer(request)
    } catch (error) {
      if (!(error instanceof StatusError)) throw error
      return { code: error.code, text: JSON.stringify(error.status) }
    }
  }

  #answer({ method, path, query, contentType, body }: StandInRequest): StandInAnswer {
    const { root, namespace, type, name: encoded, subresource } = ADDRESS.exec(path)?.groups ?? {}
    if (!root || !type) throw refused(404, 'NotFound', `${path} is not served`)
    const name = encoded === undefined ? undefined : decodeURIComponent(encoded)
    const collection = `${root}/${type}`
    if (method === 'GET' && query.get('watch') === 'true') return this.#watch(collection, namespace, query)
    if (method === 'GET' && name === undefined) return this.#list(collection, namespace, query)
    const given = body === '' ? undefined : JSON.parse(body)
    if (method === 'POST') return ok(201, this.create(collection, given as Stored))
    const key = `${namespace ?? ''}/${name}`
    const before = this.#collections.get(collection)?.get(key)?.object
    if (!before) {
      if (method === 'PATCH' && contentType.startsWith('application/apply-patch'))
        return ok(201, this.create(collection, given as Stored))
      throw refused(404, 'NotFound', `${type} ${name} not found`)
    }
    if (method === 'GET') return ok(200, before)
    if (method === 'DELETE') return ok(200, this.#delete(collection, before))
    return ok(200, this.update(collection, before, changed(before, given, contentType, subresource)))
  }

  create(collection: string, object: Stored): Stored {
    const { namespace = '', name } = object.metadata
    if (this.#collections.get(collection)?.has(`${namespace}/${name}`))
      throw refused(409, 'AlreadyExists', `${name} already exists`)
    const metadata: ObjectMeta = {
      ...object.metadata,
      uid: randomUUID(),
      generation: 1,
      creationTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
    }
    return this.#store('ADDED', collection, { ...object, metadata })
  }

  /** @throws StatusError 409 when `next` names another version than the present one */
  update(collection: string, before: Stored, next: Stored): Stored {
    const { resourceVersion } = before.metadata
    if ((next.metadata.resourceVersion ?? resourceVersion) !== resourceVersion)
      throw refused(409, 'Conflict', `${next.metadata.name} has changed`)
    if (before.metadata.deletionTimestamp && !next.metadata.finalizers?.length)
      return this.#store('DELETED', collection, next)
    if (sameText(before, next)) return before
    const isSameSpec = sameText(before.spec, next.spec)
    const generation = (before.metadata.generation ?? 1) + (isSameSpec ? 0 : 1)
    return this.#store('MODIFIED', collection, { ...next, metadata: { ...next.metadata, generation } })
  }

  #delete(collection: string, before: Stored): Stored {
    if (!before.metadata.finalizers?.length) return this.#store('DELETED', collection, before)
    if (before.metadata.deletionTimestamp) return before
    const metadata = { ...before.metadata, deletionTimestamp: new Date().toISOString() }
    return this.#store('MODIFIED', collection, { ...before, metadata })
  }

  #store(type: Change['type'], collection: string, { metadata, ...rest }: Stored): Stored {
    const revision = ++this.#revision
    const object = { ...rest, metadata: { ...metadata, resourceVersion: String(revision) } } as Stored
    const key = `${metadata.namespace ?? ''}/${metadata.name}`
    const objects = this.#collections.get(collection) ?? new Map()
    this.#collections.set(collection, objects)
    const text = JSON.stringify(object)
    if (type === 'DELETED') objects.delete(key)
    else objects.set(key, { object, text })
    const change: Change = { type, collection, object, revision, line: lineOf(type, text) }
    this.#changes.push(change)
    if (this.#changes.length > 2 * REMEMBERED) this.#changes.splice(0, REMEMBERED)
    for (const watcher of this.#watchers) watcher(change)
    return object
  }

  /** By name, so that what comes and goes between two pages moves nothing. */
  #list(collection: string, namespace: string | undefined, query: URLSearchParams): StandInAnswer {
    const after = query.get('continue') ?? ''
    const limit = Number(query.get('limit') ?? Number.POSITIVE_INFINITY)
    const fits = selected(namespace, query)
    const all = [...(this.#collections.get(collection) ?? [])]
      .filter(([key, { object }]) => key > after && fits(object))
      .sort(([a], [b]) => (a < b ? -1 : 1))
    const page = all.slice(0, limit)
    const next = page.length < all.length ? page.at(-1)?.[0] : undefined
    const [first] = page
    const kind = first ? `${first[1].object.kind}List` : 'List'
    const metadata = { resourceVersion: String(this.#revision), ...(next && { continue: next }) }
    const items = page.map(([, { text }]) => text).join()
    const head = JSON.stringify({ apiVersion: first?.[1].object.apiVersion ?? 'v1', kind, metadata })
    return { code: 200, text: `${head.slice(0, -1)},"items":[${items}]}` }
  }

  #watch(collection: string, namespace: string | undefined, query: URLSearchParams): StandInAnswer {
    const from = Number(query.get('resourceVersion') ?? 0)
    const fits = selected(namespace, query)
    const [oldest] = this.#changes
    if (from > 0 && oldest && from < oldest.revision - 1) throw refused(410, 'Expired', 'too old a version')
    return {
      watch: (line, end) => {
        const watcher = (change: Change): void => {
          if (change.collection === collection && change.revision > from && fits(change.object))
            line(change.line)
        }
        if (from > 0) for (const change of this.#changes) watcher(change)
        else
          for (const { object, text } of this.#collections.get(collection)?.values() ?? [])
            if (fits(object)) line(lineOf('ADDED', text))
        this.#watchers.add(watcher)
        const timer = setTimeout(end, Number(query.get('timeoutSeconds') ?? 600) * 1000).unref()
        return () => {
          clearTimeout(timer)
          this.#watchers.delete(watcher)
        }
      },
    }
  }
}

const lineOf = (type: Change['type'], text: string): string => `{"type":"${type}","object":${text}}\n`

const ok = (code: number, object: Stored): StandInAnswer => ({ code, text: JSON.stringify(object) })

const refused = (code: number, reason: string, message: string): StatusError =>
  new StatusError({
    apiVersion: 'v1',
    kind: 'Status',
    metadata: {},
    status: 'Failure',
    code,
    reason,
    message,
  })

const sameText = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** The field selector that Kairship's lease watch has, and label selectors of equal values. */
function selected(namespace: string | undefined, query: URLSearchParams): (object: Stored) => boolean {
  const name = /^metadata\.name=(.+)$/.exec(query.get('fieldSelector') ?? '')?.[1]
  const labels = (query.get('labelSelector') ?? '').split(',').filter(Boolean)
  const fits = (object: Stored, label: string): boolean => {
    const [key = '', value] = label.split('=')
    const has = object.metadata.labels?.[key]
    return value === undefined ? has !== undefined : has === value
  }
  return object =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    labels.every(label => fits(object, label))
}

function changed(
  before: Stored,
  given: unknown,
  contentType: string,
  subresource: string | undefined,
): Stored {
  const document = before as unknown as JsonObject
  if (contentType.startsWith(JSON_PATCH)) return jsonPatch(document, given) as unknown as Stored
  if (contentType.startsWith(MERGE_PATCH)) {
    const next = mergePatch(document, given) as unknown as Stored
    return subresource ? { ...before, metadata: next.metadata, status: next.status } : next
  }
  const { metadata, status, ...rest } = given as Stored
  if (subresource) return { ...before, status }
  // An applied configuration has one owner here, so what it leaves out of its own fields goes; the status is another's.
  const { resourceVersion, labels, annotations, ownerReferences, finalizers } = metadata
  const named = { labels, annotations, ownerReferences, finalizers, resourceVersion }
  const kept = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined))
  return { ...before, ...rest, metadata: { ...before.metadata, ...kept } } as Stored
}
