import { EMPTY, map, merge, type Observable, type Subscription, switchMap } from 'rxjs'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, type RbacObject } from '../../../manifests/instance-rbac.js'
import type { GroupVersionResource } from '../../../manifests/kube.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import type { Meter } from '../../../ports/meter.js'
import { keepWatching } from '../../../streams/keep-watching.js'
import { listWatch } from '../../../streams/list-watch.js'
import { ObjectStore } from '../../../streams/object-store.js'
import type { Seen } from '../../../streams/seen.js'
import { meteredWatch } from '../../watches/metered-watch.js'
import type { InstanceConnection } from '../instance-connection.js'

/** How long the first request may wait until the RBAC was read, milliseconds. */
const FIRST_WITHIN_MS = 2_000
/** Without contact for so long, milliseconds, what was read may be old: then nothing is known. */
const SILENT_MS = 10_000
/** Not asked for so long, milliseconds, the RBAC is not followed any more. */
const UNUSED_MS = 600_000

/** The part of a rule that opens members. */
interface Rule {
  readonly apiGroups?: readonly string[]
  readonly resources?: readonly string[]
  readonly resourceNames?: readonly string[]
}

/**
 * Which groups Karmada may impersonate in the members of one instance: those that a ClusterRoleBinding binds to a ClusterRole with
 * `clusters/proxy`, or `proxying/proxy` of karmada-search. Karmada's unifiedAuth controller gives its impersonator in each member just these, and
 * a member refuses a request that names any other. The RBAC is followed while it is asked for, and costs nothing otherwise.
 */
export class MemberGroups {
  #following: Following | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(
    private readonly connection: Pick<InstanceConnection, 'changes'>,
    private readonly meter: Meter,
  ) {}

  /**
   * @param cluster the member; absent for karmada-search's way to all of them
   * @returns undefined where it is not known
   */
  of(
    cluster: string | undefined,
  ): ReadonlySet<string> | undefined | Promise<ReadonlySet<string> | undefined> {
    this.#following ??= new Following(this.connection, this.meter)
    this.#idle?.refresh()
    this.#idle ??= setTimeout(() => this.stop(), UNUSED_MS).unref()
    const following = this.#following
    if (following.isRead || following.hasWaited) return following.groups(cluster)
    return following.first().then(() => following.groups(cluster))
  }

  stop(): void {
    clearTimeout(this.#idle)
    this.#idle = undefined
    this.#following?.stop()
    this.#following = undefined
  }
}

/** The RBAC of one instance, as its watches last saw it. */
class Following {
  readonly #subscription: Subscription
  #roles = new ObjectStore<RbacObject>()
  #bindings = new ObjectStore<RbacObject>()
  #lostAt: number | undefined
  #known = new Map<string | undefined, ReadonlySet<string>>()
  #waiting: Promise<void> | undefined
  #arrived: () => void = () => undefined
  /** The first request has waited for as long as any does. */
  hasWaited = false

  constructor({ changes }: Pick<InstanceConnection, 'changes'>, meter: Meter) {
    this.#subscription = changes
      .pipe(
        switchMap(connected => {
          this.#roles = new ObjectStore()
          this.#bindings = new ObjectStore()
          this.#known.clear()
          if (!connected) return EMPTY
          return merge(
            take(seenOf(connected.api, CLUSTER_ROLES, meter), this.#roles),
            take(seenOf(connected.api, CLUSTER_ROLE_BINDINGS, meter), this.#bindings),
          )
        }),
      )
      .subscribe(seen => this.#seen(seen))
  }

  get isRead(): boolean {
    return this.#roles.synced && this.#bindings.synced
  }

  /** Resolves when it was read, or has taken too long. */
  first(): Promise<void> {
    this.#waiting ??= new Promise<void>(resolve => {
      const late = setTimeout(resolve, FIRST_WITHIN_MS)
      this.#arrived = () => {
        clearTimeout(late)
        resolve()
      }
    }).then(() => {
      this.hasWaited = true
    })
    return this.#waiting
  }

  groups(cluster: string | undefined): ReadonlySet<string> | undefined {
    if (!this.isRead) return undefined
    if (this.#lostAt !== undefined && performance.now() - this.#lostAt > SILENT_MS) return undefined
    const known =
      this.#known.get(cluster) ?? openGroups([...this.#roles.values()], [...this.#bindings.values()], cluster)
    this.#known.set(cluster, known)
    return known
  }

  stop(): void {
    this.#subscription.unsubscribe()
    this.#arrived()
  }

  #seen({ type }: Seen<RbacObject>): void {
    if (type === 'interrupted') this.#lostAt ??= performance.now()
    else {
      this.#lostAt = undefined
      if (type !== 'bookmarked') this.#known.clear()
    }
    if (this.isRead) this.#arrived()
  }
}

const seenOf = (api: KubeApi, resource: GroupVersionResource, meter: Meter): Observable<Seen<RbacObject>> =>
  keepWatching(listWatch<RbacObject>(api, resource)).pipe(meteredWatch(meter, resource.resource))

const take = (
  source: Observable<Seen<RbacObject>>,
  store: ObjectStore<RbacObject>,
): Observable<Seen<RbacObject>> =>
  source.pipe(
    map(seen => {
      store.take(slim(seen))
      return seen
    }),
  )

/** What is kept of an object: a hundred roles of controllers open no member. */
function slim(seen: Seen<RbacObject>): Seen<RbacObject> {
  const keep = ({ apiVersion, kind, metadata, rules, roleRef, subjects }: RbacObject): RbacObject => {
    const { name, uid, resourceVersion } = metadata
    return {
      apiVersion,
      kind,
      metadata: { name, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
      rules: rules?.filter(rule => opens(rule)) ?? [],
      ...(roleRef && { roleRef }),
      subjects: subjects?.filter(subject => subject.kind === 'Group') ?? [],
    }
  }
  if (seen.type === 'listed') return { ...seen, objects: seen.objects.map(keep) }
  return seen.type === 'applied' || seen.type === 'deleted' ? { ...seen, object: keep(seen.object) } : seen
}

const includes = (list: readonly string[] | undefined, wanted: string): boolean =>
  list?.some(one => one === wanted || one === '*') ?? false

const opens = (rule: Rule): boolean => opensClusters(rule) || opensSearch(rule)
const opensClusters = ({ apiGroups, resources }: Rule): boolean =>
  includes(apiGroups, 'cluster.karmada.io') && includes(resources, 'clusters/proxy')
const opensSearch = ({ apiGroups, resources }: Rule): boolean =>
  includes(apiGroups, 'search.karmada.io') && includes(resources, 'proxying/proxy')

/** Pure: the groups that these objects open a member to. */
export function openGroups(
  roles: readonly RbacObject[],
  bindings: readonly RbacObject[],
  cluster: string | undefined,
): ReadonlySet<string> {
  const opensMember = (rule: Rule): boolean => {
    const { resourceNames = [] } = rule
    const isNamed = resourceNames.length === 0 || (cluster !== undefined && resourceNames.includes(cluster))
    return opensSearch(rule) || (opensClusters(rule) && isNamed)
  }
  const opening = new Set(
    roles.filter(({ rules }) => rules?.some(opensMember)).map(({ metadata }) => metadata.name),
  )
  return new Set(
    bindings
      .filter(({ roleRef }) => roleRef?.kind === 'ClusterRole' && opening.has(roleRef.name))
      .flatMap(({ subjects = [] }) =>
        subjects.filter(({ kind }) => kind === 'Group').map(({ name }) => name),
      ),
  )
}
