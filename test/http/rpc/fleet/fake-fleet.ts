import type { Call } from '../../../../http/call/call.js'
import type { ShownInstance } from '../../../../http/instances/instance-reading.js'
import { pageOfObjects, selects } from '../../../../http/objects/list/select.js'
import type { AcrossRequest, IndexedList, ListQuery } from '../../../../http/objects/list-query.js'
import type { ObjectType, Place } from '../../../../http/objects/object-type.js'
import type { ObjectCall, Objects } from '../../../../http/objects/objects.js'
import { fleetHandlers } from '../../../../http/rpc/fleet/handlers.js'
import type { Instance } from '../../../../manifests/instance.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { bareStatus, StatusError } from '../../../../manifests/status-error.js'
import type { ListFleetObjectsRequest } from '../../../../proto/gen/kairship/fleet_pb.js'
import { fakeLog } from '../../fakes/log.js'

/** What a place does when it is asked. */
export type Mood =
  | 'well'
  | 'hangs'
  | 'refuses'
  | 'finds it wrong'
  | 'breaks'
  | 'answers fewer'
  | 'fewer once'
  | 'sorts as a language'
  | 'has no index'
  | 'counts beyond'

/** What the index does when it is asked for one list over several instances. */
export type AcrossMood =
  | 'well'
  | 'knows no such list'
  | 'breaks'
  | 'hangs'
  | 'has more'
  | 'had more once'
  | 'has what is no object'
  | 'sorts as a language'

export const refusal = (code: number, reason: string, message: string) =>
  new StatusError({ ...bareStatus(code, message), reason })

/** An Instance, which an older one makes a duplicate. */
export const instanceNamed = (name: string, isDuplicate: boolean, uid = `uid of ${name}`): Instance => ({
  ...{ apiVersion: 'kairship.io/v1alpha1', kind: 'Instance', metadata: { name, uid }, spec: {} },
  status: {
    conditions: [
      {
        ...{ type: 'Accepted', status: isDuplicate ? 'False' : 'True' },
        reason: isDuplicate ? 'DuplicateControlPlane' : 'Accepted',
        ...{ message: isDuplicate ? 'an older one leads to it' : '', lastTransitionTime: '' },
      },
    ],
  },
})

const named = ({ instance, cluster }: Place) => `${instance}/${cluster ?? ''}`

/** Instances and members with their objects, each in its own mood. */
export class FakeFleet {
  readonly objects = new Map<string, KubeObject[]>()
  readonly moods = new Map<string, Mood>()
  /** Which instances have which members. */
  readonly members = new Map<string, string[]>()
  /** Instances whose control planes older ones manage. */
  readonly duplicates = new Set<string>()
  /** Instances that the caller may use. */
  usable: (name: string) => boolean = () => true
  /** What was asked of which place: how many objects of the first, of an index. */
  readonly asked: [string, number][] = []
  across: AcrossMood = 'well'
  /** The parts of lists over several instances that the index was asked for: the first, and how many. */
  readonly windows: [offset: number, limit: number][] = []
  readonly #queries = new WeakMap<IndexedList, ListQuery>()
  readonly log = fakeLog()
  #underWay = 0
  /** The most places that were asked at once. */
  most = 0

  put(place: Place, ...names: readonly string[]): void {
    const all = this.objects.get(named(place)) ?? []
    for (const name of names) {
      const [namespace = '', own = ''] = name.includes('/') ? name.split('/') : ['default', name]
      all.push({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name: own } })
    }
    this.objects.set(named(place), all)
  }

  /** Lists as a caller, of whom the instances with these names are. */
  list(request: Partial<ListFleetObjectsRequest>, signal: Call['signal'] = new AbortController().signal) {
    const instances = [
      ...new Set([...this.objects.keys(), ...this.moods.keys()].map(key => key.split('/')[0]!)),
    ]
    const handlers = fleetHandlers({
      objects: { list: this.#list, listAcross: this.#listAcross } as unknown as Objects,
      feed: { read: () => Promise.reject(new Error('a list follows nothing')) } as never,
      instances: { all: async () => instances.sort().map(name => this.#instance(name)) },
    })
    const call = {
      caller: { user: 'ann', groups: [], extra: {} },
      ...{ signal, log: this.log, answered: () => undefined },
      maySee: async (name: string) => this.usable(name),
    } as unknown as Call
    const whole = {
      ...{ group: '', version: 'v1', resource: 'configmaps', scope: 0, instances: [], clusters: [] },
      ...{ namespace: '', name: '', labelSelector: '', fieldSelector: '', page: 0, pageSize: 0 },
      ...{ sortBy: 0, sortDir: 0, withData: false, ...request },
    } as unknown as ListFleetObjectsRequest
    return handlers.listFleetObjects(whole, call)
  }

  #instance(name: string): ShownInstance {
    return { name, instance: instanceNamed(name, this.duplicates.has(name)) }
  }

  #list = async (_: ObjectCall, place: Place, type: ObjectType, query: ListQuery) => {
    this.#underWay += 1
    this.most = Math.max(this.most, this.#underWay)
    try {
      // Answers come in another order than that of the questions.
      for (let turn = named(place).length % 5; turn >= 0; turn -= 1) await Promise.resolve()
      return await this.#answer(place, type, query)
    } finally {
      this.#underWay -= 1
    }
  }

  async #answer(place: Place, type: ObjectType, query: ListQuery) {
    const answered = { source: 'index', reason: 'Fresh', lagMs: 12 } as const
    if (type.resource === 'clusters') {
      const mood = this.moods.get(`${place.instance}/*`)
      if (mood === 'refuses') throw refusal(403, 'Forbidden', 'no clusters for you')
      const clusters = (this.members.get(place.instance) ?? []).map(name => ({
        ...{ apiVersion: 'cluster.karmada.io/v1alpha1', kind: 'Cluster', metadata: { name } },
      }))
      return { ...pageOfObjects(clusters.filter(selects(query)), query), answered }
    }
    const { mostOfIndex = query.pageSize } = query
    const mood = this.moods.get(named(place)) ?? 'well'
    this.asked.push([named(place), mood === 'has no index' ? query.pageSize : mostOfIndex])
    if (mood === 'hangs') await new Promise(() => undefined)
    if (mood === 'refuses') throw refusal(403, 'Forbidden', 'not for you')
    if (mood === 'finds it wrong') throw refusal(400, 'BadRequest', 'no such field')
    if (mood === 'breaks') throw new TypeError('a bug')
    const all = this.#matching(place, query)
    const page = pageOfObjects(all, query)
    if (mood === 'answers fewer' || mood === 'fewer once') {
      if (mood === 'fewer once') this.moods.set(named(place), 'well')
      return { ...page, items: page.items.slice(0, -1), answered }
    }
    if (mood === 'sorts as a language' && query.pageSize > 0)
      return { ...page, items: all.sort(asALanguage).slice(0, query.pageSize), answered }
    if (mood === 'counts beyond')
      return {
        ...{ ...page, pagination: { ...page.pagination, total: 2 ** 40 } },
        answered: { source: 'karmada', reason: 'NoIndex' } as const,
      }
    if (mood === 'has no index' || place.cluster || query.pageSize <= 0)
      return { ...page, answered: { source: 'karmada', reason: 'NoIndex' } as const }
    const indexed = { instance: place.instance } as IndexedList
    this.#queries.set(indexed, query)
    return { ...page, items: page.items.slice(0, mostOfIndex), answered, indexed }
  }

  #matching(place: Place, query: ListQuery): KubeObject[] {
    return (this.objects.get(named(place)) ?? []).filter(
      one => selects(query)(one) && (!query.namespace || one.metadata.namespace === query.namespace),
    )
  }

  #listAcross = async (_: ObjectCall, { lists, order, offset, limit }: AcrossRequest) => {
    this.windows.push([offset, limit])
    if (this.across === 'knows no such list') return undefined
    if (this.across === 'breaks') throw new TypeError('a bug')
    if (this.across === 'hangs') await new Promise(() => undefined)
    const all = lists.flatMap(list => {
      const query = this.#queries.get(list)
      if (!query) throw new Error(`the index did not answer ${list.instance} before`)
      const { instance } = list
      return this.#matching({ instance }, query).map(object => ({ instance, object }))
    })
    const keys = ({ instance, object: { metadata } }: (typeof all)[number]) => {
      const { namespace = '', name, creationTimestamp = '' } = metadata
      const key = { cluster: instance, namespace, name, createdAt: creationTimestamp }[order.key]
      return [key, instance, namespace, name]
    }
    const sorted = all.sort((a, b) => {
      const [left, right] = [keys(a), keys(b)]
      const at = left.findIndex((text, index) => text !== right[index])
      if (at < 0) return 0
      return (left[at]! < right[at]! ? -1 : 1) * (at === 0 && order.descending ? -1 : 1)
    })
    if (this.across === 'sorts as a language') sorted.sort((a, b) => asALanguage(a.object, b.object))
    const items = sorted.slice(offset, offset + limit)
    if (this.across === 'has what is no object')
      return { items: items.map(item => ({ ...item, object: {} })), total: sorted.length }
    const [isMore, isOnce] = [this.across === 'has more', this.across === 'had more once']
    if (isOnce) this.across = 'well'
    return { items, total: sorted.length + (isMore || isOnce ? 1 : 0) }
  }
}

/** As PostgreSQL with en_US.utf8: hyphens do not count. */
function asALanguage(a: KubeObject, b: KubeObject): number {
  const key = ({ metadata: { name } }: KubeObject) => name.replaceAll('-', '')
  return key(a) < key(b) ? -1 : 1
}
