import type { KubeObject } from '../../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import {
  type Bindable,
  bindingNameOf,
  WORKSPACE_BINDINGS,
  WORKSPACES,
} from '../../../../manifests/workspace.js'
import { orAborted } from '../../../../ports/cancellation.js'
import type { KubeRequest, WatchEvent, WatchRequest } from '../../../../ports/kube-api.js'

type Resource = typeof WORKSPACES.resource | typeof WORKSPACE_BINDINGS.resource
interface Change {
  readonly resource: string
  readonly event: WatchEvent & { readonly object: KubeObject }
}

const resourceOf = (path: string) => path.split('/').at(-1) ?? ''
const expired = () => new StatusError({ ...bareStatus(410, 'too old'), reason: 'Expired' })

/** Workspaces and their bindings on a host that keeps its past until it is compacted, as etcd does. */
export class FollowedHost {
  #revision = 10
  #compacted = 0
  readonly #changes: Change[] = []
  #wake: () => void = () => undefined
  #changed = this.#next()

  /** Writes a workspace. */
  workspace(name: string, id: number): void {
    this.#write(WORKSPACES.resource, name, { id })
  }

  bind(bound: Bindable, workspace: string): void {
    this.#write(WORKSPACE_BINDINGS.resource, bindingNameOf(bound), { ...bound, workspace })
  }

  release(bound: Bindable): void {
    this.#write(WORKSPACE_BINDINGS.resource, bindingNameOf(bound), undefined)
  }

  deleteWorkspace(name: string): void {
    this.#write(WORKSPACES.resource, name, undefined)
  }

  /** Forgets the past. */
  compact(): void {
    this.#compacted = this.#revision
  }

  readonly request = async <T>({ path, query = {} }: KubeRequest): Promise<T> => {
    const { resourceVersion, resourceVersionMatch } = query
    const revision = resourceVersionMatch === 'Exact' ? Number(resourceVersion) : this.#revision
    if (revision < this.#compacted || revision > this.#revision) throw expired()
    const items = [...this.#at(revision, resourceOf(path)).values()]
    return { metadata: { resourceVersion: String(revision) }, items } as T
  }

  readonly watch = async function* (
    this: FollowedHost,
    { path, query = {}, signal = new AbortController().signal }: WatchRequest,
  ): AsyncGenerator<WatchEvent> {
    if (Number(query.resourceVersion) < this.#compacted) throw expired()
    let at = this.#changes.findIndex(one => versionOf(one) > Number(query.resourceVersion))
    if (at < 0) at = this.#changes.length
    for (;;) {
      const changed = this.#changed
      for (const { resource, event } of this.#changes.slice(at)) {
        at += 1
        if (resource === resourceOf(path)) yield event
      }
      await orAborted(changed, signal).catch(() => undefined)
      if (signal.aborted) return
    }
  }.bind(this)

  #at(revision: number, resource: string): ReadonlyMap<string, KubeObject> {
    const objects = new Map<string, KubeObject>()
    for (const change of this.#changes) {
      if (change.resource !== resource || versionOf(change) > revision) continue
      const { type, object } = change.event
      if (type === 'DELETED') objects.delete(object.metadata.name)
      else objects.set(object.metadata.name, object)
    }
    return objects
  }

  #write(resource: Resource, name: string, spec: object | undefined): void {
    const before = this.#at(this.#revision, resource).get(name)
    this.#revision += 1
    const metadata = { name, uid: `uid of ${name}`, resourceVersion: String(this.#revision) }
    const type = spec ? (before ? 'MODIFIED' : 'ADDED') : 'DELETED'
    const object = { ...before, ...(spec && { spec }), metadata } as KubeObject
    this.#changes.push({ resource, event: { type, object } })
    const wake = this.#wake
    this.#changed = this.#next()
    wake()
  }

  #next(): Promise<void> {
    return new Promise(resolve => {
      this.#wake = resolve
    })
  }
}

const versionOf = ({ event }: Change): number => Number(event.object.metadata.resourceVersion)
