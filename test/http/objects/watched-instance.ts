import { unavailable } from '../../../http/errors/failure.js'
import type { ObjectType } from '../../../http/objects/object-type.js'
import type { ObjectCall, Objects } from '../../../http/objects/objects.js'
import type {
  ObjectRequest,
  ObjectRequestOptions,
  ObjectRequests,
} from '../../../http/objects/requests/object-requests.js'
import { watchObjects } from '../../../http/objects/watch/watch-objects.js'
import type { KubeObject } from '../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../manifests/status-error.js'
import { orAborted } from '../../../ports/cancellation.js'

/** What befalls the next watch after so many of its events. */
export interface Fault {
  readonly after: number
  readonly kind: 'cut' | 'half a line' | 'end' | 'gone' | 'refused' | 'busy'
}

interface Change {
  readonly revision: number
  readonly resource: string
  readonly key: string
  readonly before: KubeObject | undefined
  readonly after: KubeObject | undefined
}

const status = (code: number, message: string) => ({
  ...bareStatus(code, message),
  apiVersion: 'v1' as const,
})

/**
 * An instance's API as etcd keeps it: one sequence of revisions for all types, the past until it is compacted, and watches that
 * are cut in every way. Labels are selected by `labelSelector` of the form `key=value`.
 */
export class WatchedInstance {
  revision = 100
  /** Befall the watches in turn. */
  faults: Fault[] = []
  /** Types that the caller may not read. */
  forbidden = new Set<string>()
  /** How many watches were begun. */
  watches = 0
  #changes: Change[] = []
  #compacted = 0
  #bookmarks = 0
  #received = 0
  #wake: () => void = () => undefined
  #changed = this.#next()

  /** Writes an object, or removes it. */
  write(resource: string, key: string, object: Partial<KubeObject> | undefined): void {
    const before = this.at(this.revision, resource).get(key)
    if (!before && !object) return
    this.revision += 1
    const [namespace, name = ''] = key.split('/')
    const metadata = {
      ...object?.metadata,
      ...{ name, ...(namespace && { namespace }) },
      uid: before?.metadata.uid ?? `uid-${this.revision}`,
      resourceVersion: String(this.revision),
    }
    const after = object && ({ ...object, metadata } as KubeObject)
    this.#changes.push({ revision: this.revision, resource, key, before, after })
    this.#notify()
  }

  /** Forgets the past. Watches that are open do not notice. */
  compact(): void {
    this.#compacted = this.revision
  }

  /** Has all watches say which revision they have reached, also those that begin before it has been received. */
  bookmark(): void {
    this.#bookmarks += 1
    this.#notify()
  }

  /** The last bookmark has come. */
  received(): void {
    this.#received = this.#bookmarks
  }

  at(revision: number, resource: string): Map<string, KubeObject> {
    const objects = new Map<string, KubeObject>()
    for (const change of this.#changes) {
      if (change.resource !== resource || change.revision > revision) continue
      if (change.after) objects.set(change.key, change.after)
      else objects.delete(change.key)
    }
    return objects
  }

  /** The watch of the objects API over this instance. */
  objects(): Objects {
    const requests = this.#requests() as unknown as ObjectRequests
    return {
      watch: (call: ObjectCall, place: { instance: string }, type: ObjectType, query: never, since: never) =>
        watchObjects({ requests, call, place, type, query }, since),
    } as unknown as Objects
  }

  #requests() {
    let now = 0
    const pause = async (milliseconds: number) => {
      now += milliseconds
    }
    const options = { parts: { now: () => now }, pause }
    return {
      options: options as unknown as ObjectRequestOptions,
      send: async (_: ObjectCall, __: string, request: ObjectRequest) => this.#list(request),
      json: async (_: ObjectCall, __: string, { path }: ObjectRequest) => {
        const parts = path.split('/')
        const [resource = '', name = ''] = parts.slice(-2)
        const found = [...this.at(this.revision, resource).values()].find(one => one.metadata.name === name)
        if (!found) throw new StatusError({ ...status(404, 'not found'), reason: 'NotFound' })
        return found
      },
      stream: (call: ObjectCall, _: string, request: ObjectRequest, opened: () => void) =>
        this.#stream(call, request, opened),
    }
  }

  #list({ path, query = {} }: ObjectRequest) {
    const resource = path.split('/').at(-1) ?? ''
    const answer = (code: number, json: object) => ({
      ...{ status: code, headers: [], body: Buffer.from(JSON.stringify(json)) },
    })
    if (this.forbidden.has(resource)) return answer(403, { ...status(403, 'no'), reason: 'Forbidden' })
    const [from, at] = String(query.continue ?? '0.0')
      .split('.')
      .map(Number) as [number, number]
    const revision = at || Number(query.resourceVersion ?? this.revision)
    if (revision < this.#compacted) return answer(410, { ...status(410, 'compacted'), reason: 'Expired' })
    // As a kube-apiserver passes on what etcd says.
    if (revision > this.revision) return answer(500, status(500, 'required revision is a future revision'))
    const all = [...this.at(revision, resource).values()].filter(one => selected(one, query.labelSelector))
    const next = from + 3 < all.length ? `${from + 3}.${revision}` : undefined
    const metadata = { resourceVersion: String(revision), ...(next && { continue: next }) }
    return answer(200, { metadata, items: all.slice(from, from + 3) })
  }

  async *#stream(
    call: ObjectCall,
    { path, query = {} }: ObjectRequest,
    opened: () => void,
  ): AsyncGenerator<Buffer, void> {
    const resource = path.split('/').at(-1) ?? ''
    this.watches += 1
    const fault = this.faults.shift()
    if (fault?.kind === 'refused') throw unavailable('connection refused')
    if (fault?.kind === 'busy') throw new StatusError(status(429, 'too many requests'))
    let reached = Number(query.resourceVersion)
    const gone = Buffer.from(`${JSON.stringify({ type: 'ERROR', object: status(410, 'too old') })}\n`)
    if (reached < this.#compacted) {
      if (this.watches % 2 === 0) throw new StatusError(status(410, 'too old'))
      opened()
      yield gone
      return
    }
    opened()
    let [sent, bookmarks] = [0, this.#received]
    for (;;) {
      const changed = this.#changed
      for (const change of this.#changes) {
        if (change.resource !== resource || change.revision <= reached) continue
        const line = lineOf(change, query.labelSelector)
        reached = change.revision
        if (!line) continue
        if (sent === fault?.after) {
          if (fault.kind === 'half a line') yield line.subarray(0, line.length / 2)
          if (fault.kind === 'gone') yield gone
          if (fault.kind === 'cut') throw unavailable('connection reset')
          return
        }
        sent += 1
        const middle = line.length >> 1
        yield line.subarray(0, middle)
        yield line.subarray(middle)
      }
      if (bookmarks !== this.#bookmarks) {
        bookmarks = this.#bookmarks
        reached = this.revision
        const object = { metadata: { resourceVersion: String(reached) } }
        yield Buffer.from(`${JSON.stringify({ type: 'BOOKMARK', object })}\n`)
      } else await orAborted(changed, call.signal)
    }
  }

  #next(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }

  #notify(): void {
    const wake = this.#wake
    this.#changed = this.#next()
    wake()
  }
}

function selected(object: KubeObject | undefined, selector: unknown): boolean {
  if (!object) return false
  if (!selector) return true
  const [key = '', value] = String(selector).split('=')
  return object.metadata.labels?.[key] === value
}

/** A change as a watch with a selector tells of it; undefined where it does not. */
function lineOf({ before, after, revision }: Change, selector: unknown): Buffer | undefined {
  const [was, is] = [selected(before, selector), selected(after, selector)]
  if (!was && !is) return undefined
  const type = !was ? 'ADDED' : is ? 'MODIFIED' : 'DELETED'
  const shown = (is ? after : before) as KubeObject
  const object = { ...shown, metadata: { ...shown.metadata, resourceVersion: String(revision) } }
  return Buffer.from(`${JSON.stringify({ type, object })}\n`)
}
