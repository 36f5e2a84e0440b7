import type { ObjectMeta } from '../../manifests/kube.js'
import type { Expectation } from './expectation.js'

/** What a write turned out to be. */
export type Outcome =
  /** Nothing was written: it was refused, or never sent. */
  | { readonly kind: 'refused' }
  /** One object was written. */
  | {
      readonly kind: 'wrote'
      readonly namespace: string
      readonly name: string
      readonly expected: Expectation
    }
  /** It was executed, on which objects is not known. */
  | { readonly kind: 'unread' }
  /** It may have been executed, or may yet be. */
  | { readonly kind: 'lost' }

/** A write as its path describes it. */
export interface WriteRequest {
  readonly verb: string
  readonly namespace: string
  /** Absent where only the answer names it: creations, and deletions of collections. */
  readonly name?: string
}

/** The outcome by the status alone; undefined where it depends on the answer's body. */
export function outcomeOfStatus(status: number): Outcome | undefined {
  if (status >= 200 && status < 300) return undefined
  // A timeout of the server: it may go on with it.
  return status >= 400 && status < 500 && status !== 408 ? { kind: 'refused' } : { kind: 'lost' }
}

/** The outcome of a write that was executed, from its answer; `undefined` for one that could not be read. */
export function outcomeOf({ verb, namespace, name }: WriteRequest, answer: unknown): Outcome {
  const wrote = (expected: Expectation, at = name): Outcome =>
    at === undefined ? { kind: 'unread' } : { kind: 'wrote', namespace, name: at, expected }
  if (verb === 'deletecollection') return { kind: 'unread' }
  const { kind, metadata, details } = (answer ?? {}) as Answer
  if (kind === 'Status' && verb === 'delete')
    return wrote({ kind: 'gone', ...(typeof details?.uid === 'string' && { uid: details.uid }) })
  const { resourceVersion } = metadata ?? {}
  const isThatObject = name === undefined ? verb === 'create' : metadata?.name === name
  if (
    !metadata ||
    !isThatObject ||
    kind === 'Status' ||
    typeof resourceVersion !== 'string' ||
    !resourceVersion
  )
    return wrote({ kind: 'unknown' })
  const isEnding = metadata.deletionTimestamp !== undefined && metadata.deletionTimestamp !== null
  const isHeld = Boolean(metadata.finalizers?.length) || Boolean(metadata.deletionGracePeriodSeconds)
  if (verb === 'delete' && !(isEnding && isHeld))
    return wrote({ kind: 'gone', after: resourceVersion, ...(metadata.uid && { uid: metadata.uid }) })
  // The last finalizer may have been taken away: then it is gone, although its last state was answered.
  if (isEnding && !isHeld) return wrote({ kind: 'unknown' })
  return wrote({ kind: 'present', resourceVersion }, metadata.name)
}

interface Answer {
  readonly kind?: unknown
  readonly metadata?: Partial<ObjectMeta>
  readonly details?: { readonly uid?: unknown }
}
