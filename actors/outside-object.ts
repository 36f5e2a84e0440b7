import { createHash } from 'node:crypto'
import { canonical } from '../machines/canonical.js'
import type { OutsideObject } from '../machines/facts.js'
import type { KubeObject } from '../manifests/kube.js'
import type { Verdict } from '../manifests/verdict.js'

/** A short, irreversible stand-in for a value: equal for equal values. */
export const fingerprint = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 22)

/** What stays in memory of an object of ours on the host: its name, and what the machines need to know. */
export interface Kept extends KubeObject {
  readonly outside: OutsideObject
}

/** Changes with the object's identity and with what Kairship writes in it; not with its status. */
export const revisionOf = ({ metadata, ...object }: KubeObject & { readonly spec?: unknown }): string =>
  `${metadata.uid ?? ''}/${fingerprint([object.spec, metadata.labels])}`

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
