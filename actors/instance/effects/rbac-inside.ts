import { Failed, type Failure, type Stage } from '../../../machines/failure.js'
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  type RbacObject,
  ROLE_BINDINGS,
} from '../../../manifests/instance-rbac.js'
import { type GroupVersionResource, type KubeList, resourcePath } from '../../../manifests/kube.js'
import { INSTANCE_LABEL, labelsOf, ROLE_BINDING_LABEL } from '../../../manifests/names.js'
import { deadline } from '../../../ports/cancellation.js'
import type { KubeApi } from '../../../ports/kube-api.js'
import { fingerprint } from '../../host/kept-object.js'
import { apply, remove } from '../../kube/apply.js'
import { fail, failureOf } from '../../kube/failure.js'

const stage: Stage = 'role bindings'

/** In the order in which they are removed: bindings before roles, so that no moment grants by a role that is being emptied. */
const types: readonly (readonly [kind: string, resource: GroupVersionResource])[] = [
  ['RoleBinding', ROLE_BINDINGS],
  ['ClusterRoleBinding', CLUSTER_ROLE_BINDINGS],
  ['ClusterRole', CLUSTER_ROLES],
]
/** The types of RBAC objects that role bindings become inside an instance. */
export const typesInside: readonly GroupVersionResource[] = types.map(([, resource]) => resource)
const resourceOf = (kind: string): GroupVersionResource => new Map(types).get(kind) ?? CLUSTER_ROLES

/** Selects the RBAC objects inside an instance that were made of its role bindings. */
export const madeInsideSelector = (instance: string): string =>
  `${INSTANCE_LABEL}=${instance},${ROLE_BINDING_LABEL}`

/** Selects all RBAC objects of ours inside an instance: also those of issued kubeconfigs. */
export const oursInsideSelector = (instance: string): string =>
  Object.entries(labelsOf(instance))
    .map(([key, value]) => `${key}=${value}`)
    .join()

/** Equal for objects of the same kind, namespace and name. */
export const identityOf = ({ kind, metadata: { namespace = '', name } }: RbacObject): string =>
  `${kind}/${namespace}/${name}`

/** Whether two objects of the same identity grant the same. */
export const isSame = (a: RbacObject, b: RbacObject): boolean => substanceOf(a) === substanceOf(b)
const substanceOf = ({ rules, roleRef, subjects }: RbacObject): string =>
  fingerprint([rules, roleRef, subjects])

/** A roleRef is immutable: a binding to another role is another binding of the same name. */
export const refersElsewhere = (before: RbacObject, after: RbacObject): boolean =>
  fingerprint(before.roleRef ?? null) !== fingerprint(after.roleRef ?? null)

/** So many changes of one instance are under way at once: one that hangs holds up few others. */
const AT_ONCE = 8
/** One change may take so long, milliseconds: one that hangs (a webhook inside) must not use up the time of the others. */
const CHANGE_WITHIN_MS = 5_000

/** One change that failed. */
export interface FailedChange {
  readonly object: Pick<RbacObject, 'kind' | 'metadata'>
  readonly doing: 'list' | 'remove' | 'apply'
  readonly failure: Failure
}

/** A sentence for the person on call: which object, what was tried, why it failed. */
export function sentence({ object: { kind, metadata }, doing, failure }: FailedChange): string {
  const name = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`
  const done = { list: 'listed', remove: 'removed', apply: 'applied' }[doing]
  return `${[kind, name].filter(Boolean).join(' ')} was not ${done}: ${failure.message}`
}

/**
 * The RBAC inside one instance, changed object by object: one that fails keeps no other from being changed, and is noted in
 * `failed`. Only the end of the effect itself (its signal) ends everything.
 */
export class RbacInside {
  readonly failed: FailedChange[] = []

  /** @param selector which objects it lists */
  constructor(
    private readonly api: KubeApi,
    private readonly selector: string,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * Everything of ours inside, in the order in which it is removed. A type that cannot be listed is noted and left out.
   * @throws Failed when no type can be listed: then it is the control plane that is in trouble, and no single object
   */
  async list(): Promise<readonly RbacObject[]> {
    const lists = await Promise.all(
      types.map(([kind, resource]) =>
        this.#try({ kind, metadata: { name: '' } }, 'list', signal => this.#listOne(kind, resource, signal)),
      ),
    )
    const [first] = this.failed
    if (first && lists.every(list => list === undefined)) throw new Failed(first.failure)
    return lists.flatMap(list => list ?? [])
  }

  /** Reads something else that rights depend on. @param kind named where it fails; then undefined is returned */
  read<T>(kind: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    return this.#try({ kind, metadata: { name: '' } }, 'list', work)
  }

  /** @returns whether it is gone */
  async remove(object: RbacObject): Promise<boolean> {
    const gone = async (signal: AbortSignal): Promise<true> => {
      const { resourceVersion: _, ...identity } = object.metadata
      await remove(this.api, resourceOf(object.kind), identity, signal)
      return true
    }
    return (await this.#try(object, 'remove', gone)) ?? false
  }

  async apply(object: RbacObject): Promise<void> {
    await this.#try(object, 'apply', signal => apply(this.api, resourceOf(object.kind), object, signal))
  }

  /** Changes objects, some at a time and kind by kind, so that no role is changed before the bindings to it, or the reverse. */
  async each(
    objects: readonly RbacObject[],
    change: (object: RbacObject) => Promise<unknown>,
  ): Promise<void> {
    for (const kind of new Set(objects.map(object => object.kind))) {
      const waiting = objects.filter(object => object.kind === kind)
      const work = async () => {
        for (let object = waiting.shift(); object; object = waiting.shift()) await change(object)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, work))
    }
  }

  async #listOne(
    kind: string,
    resource: GroupVersionResource,
    signal: AbortSignal,
  ): Promise<readonly RbacObject[]> {
    const list = await this.api.request<KubeList<RbacObject>>({
      method: 'GET',
      path: resourcePath(resource),
      query: { labelSelector: this.selector },
      signal,
    })
    if (!Array.isArray(list?.items))
      fail(
        'NotServed',
        stage,
        `GET ${resourcePath(resource)}: the answer is no list; is this a Kubernetes API?`,
      )
    return list.items.map(item => ({ ...item, kind }))
  }

  async #try<T>(
    object: FailedChange['object'],
    doing: FailedChange['doing'],
    change: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> {
    const limit = deadline([this.signal], CHANGE_WITHIN_MS)
    try {
      return await change(limit.signal)
    } catch (error) {
      this.signal.throwIfAborted()
      const failure = failureOf(error, stage)
      const hung = limit.signal.aborted ? { reason: 'Unreachable' as const } : {}
      this.failed.push({ object, doing, failure: { ...failure, ...hung } })
      return undefined
    } finally {
      limit.clear()
    }
  }
}
