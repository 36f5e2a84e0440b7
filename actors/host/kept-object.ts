import { createHash } from 'node:crypto'
import { canonical } from '../../machines/canonical.js'
import type { OutsideObject } from '../../machines/instance/facts.js'
import type { KubeObject } from '../../manifests/kube.js'
import type { Verdict } from '../../manifests/verdict.js'

/** A short, irreversible stand-in for a value: equal for equal values. */
export const fingerprint = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 22)

/** What stays in memory of an object of ours on the host: its name, and what the machines need to know. */
export interface Kept extends KubeObject {
  readonly outside: OutsideObject
}

/** Of what Kairship writes in an object: its spec, its labels, and the Instance that owns it. Owners of others do not count. */
const writtenPrint = ({ metadata, ...object }: KubeObject & { readonly spec?: unknown }): string =>
  fingerprint([
    object.spec,
    metadata.labels,
    metadata.ownerReferences?.filter(({ kind }) => kind === 'Instance').map(({ uid }) => uid) ?? [],
  ])

/** Changes with the object's identity and with what Kairship writes in it; not with its status. */
export const revisionOf = (object: KubeObject & { readonly spec?: unknown }): string =>
  `${object.metadata.uid ?? ''}/${writtenPrint(object)}`

/** Whether an object, as our watch shows it, is as it should be written. */
export const isAsWritten = ({ outside }: Kept, wanted: KubeObject & { readonly spec?: unknown }): boolean =>
  outside.revision.endsWith(`/${writtenPrint(wanted)}`)

/** Keeps of an object what the machines need; secrets in its spec do not survive this. */
export const kept =
  <T extends KubeObject>(verdictOf: (object: T) => Verdict | undefined) =>
  (object: KubeObject): Kept => {
    const { name, namespace, uid, resourceVersion, labels, deletionTimestamp } = object.metadata
    const verdict = verdictOf(object as T)
    return {
      apiVersion: object.apiVersion,
      kind: object.kind,
      metadata: {
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
        ...(labels && { labels }),
      },
      outside: {
        revision: revisionOf(object),
        deleting: deletionTimestamp !== undefined,
        ...(verdict && { verdict }),
      },
    }
  }
