import type { KubeObject } from '../../manifests/kube.js'

/** A step on the way of a template into its members, in the order of the way. */
export const STEPS = ['Template', 'Policy', 'Binding', 'Scheduling', 'Work', 'Member'] as const
export type Step = (typeof STEPS)[number]

/**
 * How a step stands. `Broken` will not mend by itself; `Waiting` may, and says on what it waits; `Unknown` could not be
 * looked at.
 */
export type LinkState = 'Done' | 'Waiting' | 'Broken' | 'Unknown'

/** The object that a link is about, whether it exists or not. */
export interface LinkedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
}

/** One step of a trace. */
export interface Link {
  readonly step: Step
  /** The member that the step is about, for Work and Member. */
  readonly cluster?: string
  readonly state: LinkState
  readonly object?: LinkedObject
  /** One CamelCase word that stays the same from version to version. */
  readonly reason: string
  /** A sentence; where Karmada has words for it, these. */
  readonly message: string
  /** The part of the message that is in the words of Karmada or of a member. Absent where all of it is ours. */
  readonly quoted?: string
  /** What most likely helps. Absent where nothing has to be done. */
  readonly fix?: string
}

/** What a check finds out about its step; the step and the cluster are added by the trace. */
export type Finding = Omit<Link, 'step' | 'cluster'>

export const done = (reason: string, message: string, object?: LinkedObject): Finding => ({
  state: 'Done',
  reason,
  message,
  ...(object && { object }),
})

export const waiting = (reason: string, message: string, object?: LinkedObject, fix?: string): Finding => ({
  state: 'Waiting',
  reason,
  message,
  ...(object && { object }),
  ...(fix !== undefined && { fix }),
})

export const broken = (reason: string, message: string, fix: string, object?: LinkedObject): Finding => ({
  state: 'Broken',
  reason,
  message,
  fix,
  ...(object && { object }),
})

/** A finding whose message has words of Karmada's or of a member's: readers must be able to tell them from ours. */
export const quoting = (quoted: string, finding: Finding): Finding => ({ ...finding, quoted })

/** The reference of an object that is there. */
export const linkTo = ({ apiVersion, kind, metadata: { namespace, name } }: KubeObject): LinkedObject => ({
  apiVersion,
  kind,
  ...(namespace && { namespace }),
  name,
})

/** `Deployment shop/web`, as messages name objects. */
export const nameOf = ({ kind, namespace, name }: LinkedObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`
