import { executionNamespace, workName } from '../../../karmada/names.js'
import type { Cluster } from '../../../karmada/objects/cluster.js'
import type { Work } from '../../../karmada/objects/work.js'
import { type GroupVersionResource, type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isNotFound, StatusError } from '../../../manifests/status-error.js'
import { Code } from '../../../transcoding/code.js'
import type { Call } from '../../call/call.js'
import { type Failure, permissionDenied } from '../../errors/failure.js'
import { toFailure } from '../../errors/to-failure.js'
import { type ObjectKey, type ObjectType, objectPath, type Place } from '../../objects/object-type.js'
import type { Objects } from '../../objects/objects.js'
import type { OwnReads } from '../../objects/requests/own-requests.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { CLUSTER, WORK } from '../kind/object-types.js'

/** How many objects are read at once for one call: the limits count them all for its caller. */
const AT_ONCE = 8
const ALL = { page: 1, pageSize: 0 } as const

/**
 * Reads the many objects that one answer is made of. What its caller may not read, or what cannot be read now, is left out
 * and noted, so that one missing right does not cost the whole answer.
 */
export class Reader {
  readonly #unread = new Set<string>()
  readonly #types = new Map<string, Promise<ObjectType>>()
  readonly #lists = new Map<string, Promise<readonly KubeObject[]>>()
  readonly #denied = new Set<string>()

  constructor(
    readonly objects: Objects,
    readonly ownReads: OwnReads,
    readonly call: Call,
    readonly place: Place,
  ) {}

  /** What could not be read, one sentence for each. */
  get unread(): readonly string[] {
    return [...this.#unread].sort()
  }

  /** The type of a kind, by the instance's discovery; asked once. @throws Failure INVALID_ARGUMENT */
  typeOf(apiVersion: string, kind: string): Promise<ObjectType> {
    const key = `${apiVersion} ${kind}`
    const type = this.#types.get(key) ?? this.objects.typeOf(this.call, this.place, apiVersion, kind)
    this.#types.set(key, type)
    return type
  }

  /** Undefined where there is none. @throws Failure where it could not be read */
  async get<T extends KubeObject>(type: ObjectType, key: ObjectKey): Promise<T | undefined> {
    try {
      return await this.objects.get<T>(this.call, this.place, type, key)
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /**
   * The Works of a template in these clusters, those that there are. Kairship reads them under its own credential: a Work lies in
   * the namespace of its cluster among those of all teams, so a role on a team's namespaces gives no right to it, and no Viewer has one.
   * @param of a template that the caller may read, as its binding, which names the clusters
   */
  async works(
    of: { readonly kind: string } & ObjectKey,
    clusters: readonly string[],
  ): Promise<readonly Work[]> {
    const name = workName(of.kind, of.name, of.namespace)
    const found = await this.each(clusters, cluster =>
      this.#own<Work>(WORK, { namespace: executionNamespace(cluster), name }),
    )
    return found.flatMap(work => (work ? [withManifests(work)] : []))
  }

  /** These Clusters, those that there are, read in the same way for a caller who may not list them but has a binding that names them. */
  async clusters(names: readonly string[]): Promise<readonly Cluster[]> {
    const found = await this.each(names, name => this.#own<Cluster>(CLUSTER, { name }))
    return found.filter(cluster => cluster !== undefined)
  }

  /** All objects of a type, under Kairship's own credential; none where the control plane does not serve it. @throws StatusError */
  async ownList<T>(type: GroupVersionResource): Promise<readonly T[]> {
    const path = resourcePath(type)
    try {
      const list = await this.ownReads.get<{ readonly items?: readonly T[] }>(
        this.call,
        this.place.instance,
        { path },
      )
      return list.items ?? []
    } catch (error) {
      if (isNotFound(error)) return []
      throw error
    }
  }

  async #own<T>(type: ObjectType, key: ObjectKey): Promise<T | undefined> {
    try {
      return await this.ownReads.get<T>(this.call, this.place.instance, {
        path: objectPath(this.place, type, key),
      })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  /** The objects of a type, in one namespace or in all; those that could be read. Each list is requested once. */
  list<T extends KubeObject>(type: ObjectType, namespace?: string): Promise<readonly T[]> {
    const key = keyOfList(type, namespace)
    const list = this.#lists.get(key) ?? this.#readable<T>(type, namespace)
    this.#lists.set(key, list)
    return list as Promise<readonly T[]>
  }

  /** Whether such a list was denied to the caller. */
  isDenied(type: ObjectType, namespace?: string): boolean {
    return this.#denied.has(keyOfList(type, namespace))
  }

  /** The refusal of an answer that would be wrong without what the caller may not read. */
  refusal(): Failure {
    return permissionDenied(this.unread.join('; '))
  }

  async #readable<T extends KubeObject>(type: ObjectType, namespace?: string): Promise<readonly T[]> {
    const query = { ...ALL, ...(namespace !== undefined && { namespace }) }
    try {
      return (await this.objects.list<T>(this.call, this.place, type, query)).items
    } catch (error) {
      if (!this.#note(error)) throw error
      this.#denied.add(keyOfList(type, namespace))
      return []
    }
  }

  /** As `list` of all namespaces; where that is denied, of one. */
  async listWide<T extends KubeObject>(type: ObjectType, namespace: string): Promise<readonly T[]> {
    try {
      return (await this.objects.list<T>(this.call, this.place, type, ALL)).items
    } catch (error) {
      if (toFailure(error).code !== Code.PERMISSION_DENIED) throw error
      return this.list<T>(type, namespace)
    }
  }

  /** Runs a read for each of many things, a few at a time and in their order. */
  each<T, R>(things: readonly T[], read: (thing: T) => Promise<R>): Promise<readonly R[]> {
    return someAtOnce(things, AT_ONCE, read)
  }

  /** Notes a refusal of the instance; anything else is no note, but the end of the call. */
  #note(error: unknown): boolean {
    if (!(error instanceof StatusError) || toFailure(error).code !== Code.PERMISSION_DENIED) return false
    this.#unread.add(error.message)
    return true
  }
}

/** A Work may have no manifests, and then none of what leads to them either. */
function withManifests(work: Work): Work {
  const spec: Partial<Work['spec']> | undefined = work.spec
  const workload: Partial<Work['spec']['workload']> | undefined = spec?.workload
  const manifests = (workload?.manifests ?? []).filter(one => typeof one?.metadata?.name === 'string')
  return { ...work, spec: { ...spec, workload: { ...workload, manifests } } }
}

const keyOfList = ({ group, resource }: ObjectType, namespace?: string): string =>
  `${group}/${resource} ${namespace}`
