import type { KubeObject } from '../../../manifests/kube.js'
import type { Call } from '../../call/call.js'
import type { Authorizer } from '../../identity/authorize.js'
import { reaching } from '../../identity/reach.js'
import { duplicateRefusal } from '../../instances/duplicate.js'
import type { ShownInstance } from '../../instances/instance-reading.js'
import type { Objects } from '../../objects/objects.js'
import { sideCall } from '../../objects/side-call.js'
import { someAtOnce } from '../concurrency/some-at-once.js'
import { withinPatience } from '../concurrency/within-patience.js'
import { namespaces } from '../core/namespace.js'

/** Instances whose namespaces are read at once. */
const AT_ONCE = 8
/** How long one instance has, milliseconds: a slow one is named and does not hold the others up. */
const PATIENCE_MS = 10_000

/** Namespaces of several instances. */
export interface ReadNamespaces {
  readonly found: readonly { readonly instance: string; readonly namespace: string }[]
  /** Instances that did not answer, or not this caller, or that are duplicates of others; sorted. */
  readonly unread: string[]
}

/** The namespaces of instances as the caller may list them there. Instances that the caller may not reach are left out. */
export async function readNamespaces(
  { objects, authorizer }: { readonly objects: Objects; readonly authorizer: Authorizer },
  call: Call,
  instances: readonly ShownInstance[],
): Promise<ReadNamespaces> {
  const found: { instance: string; namespace: string }[] = []
  const unread: string[] = []
  await someAtOnce(instances, AT_ONCE, async shown => {
    const { name: instance } = shown
    if (!(await authorizer.decide(call.caller, reaching(instance))).allowed) return
    // What it has is another one's.
    if (duplicateRefusal(shown)) return void unread.push(instance)
    try {
      const all = { page: 1, pageSize: 0 }
      const { items } = await withinPatience(sideCall(call), PATIENCE_MS, {}, quick =>
        objects.list<KubeObject>(quick, { instance }, namespaces.type, all),
      )
      for (const { metadata } of items) found.push({ instance, namespace: metadata.name })
    } catch (error) {
      call.signal.throwIfAborted()
      call.log.info({ err: error, instance }, 'namespaces of an instance were not read')
      unread.push(instance)
    }
  })
  return { found, unread: unread.sort() }
}
