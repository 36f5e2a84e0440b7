import type { Instance, InstanceSummary } from '../../manifests/instance.js'
import type { Verdict } from '../../manifests/verdict.js'
import type { Failure } from '../failure.js'

/** Something that either answered, with what it said, or did not, with why. */
export type Answer<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly failure: Failure }

/** An object of ours outside the instance, as our watch saw it. */
export interface OutsideObject {
  /**
   * Changes when the object is replaced or anything in it changes that Kairship writes; not when its owner updates the
   * status.
   */
  readonly revision: string
  readonly deleting: boolean
  /** Absent while the owner has not spoken. */
  readonly verdict?: Verdict
  /** The version of what it stands for, where its owner reports one. */
  readonly version?: string
}

/** Credentials that were read and turned into a connection; whether the other side likes them, the probe says. */
export interface Credentials {
  readonly endpoint: string
  /** Of the kubeconfig; changes when they rotate. Not reversible. */
  readonly fingerprint: string
}

/** What a reachable control plane says of itself. */
export interface ControlPlane {
  /** uid of its kube-system namespace: its identity, whatever name or address it is reached by. */
  readonly id: string
  readonly kubernetesVersion: string
  readonly karmadaVersion?: string
}

/** An index that is not known to be stalled. */
export interface Measured {
  /** Why this is not measured, where no canary can be sent. */
  readonly unmeasured?: string
}

/** The first Instance that manages this control plane, or this endpoint. */
export interface FirstInstance {
  readonly name: string
  readonly shares: 'endpoint' | 'control plane'
}

/** The facts that come from watches on the host which all instances share. */
export type SharedFact = 'installation' | 'virtualCluster' | 'registration' | 'roleBindings'

/**
 * All that is known of one instance besides its CR. A missing entry was not observed since contact with its source was
 * last made; `absent` was looked for and is not there. Each fact is whole: a later one replaces an earlier one.
 */
export interface Facts {
  readonly credentials?: Answer<Credentials>
  readonly controlPlane?: Answer<ControlPlane>
  /** Fingerprint of the kubeconfig with which `controlPlane` was last reached; after a rotation, the one before at first. */
  readonly reachedWith?: string
  readonly aggregatedApi?: Answer<object>
  /** The older Instance that manages this control plane, if any; `of` is the control plane's id as it was known then. */
  readonly duplicate?: { readonly first?: FirstInstance; readonly of?: string }
  readonly installation?: OutsideObject | 'absent'
  readonly virtualCluster?: OutsideObject | 'absent'
  /** What the canary found out about the virtual cluster, whatever that claims of itself. */
  readonly index?: Answer<Measured>
  readonly registration?: OutsideObject | 'absent'
  /** The bindings that Global Management wrote for this instance; `revision` changes with any of them. */
  readonly roleBindings?: { readonly revision: string; readonly count: number }
  /** Whether requests of callers can be made in their names; not known before the first caller. */
  readonly impersonation?: Answer<object>
  readonly statistics?: Answer<{ readonly summary: InstanceSummary }>
  /** Which of the host's shared watches are silent, and why. */
  readonly silence?: Partial<Record<SharedFact, Failure>>
}

/** What is wrong with the spec beyond what its schema can say; undefined when nothing is. */
export function specProblem({ metadata, spec }: Instance): string | undefined {
  // The virtual cluster `k-<name>` and everything named after it must still be a DNS label.
  if (metadata.name.length > 61)
    return `the name has ${metadata.name.length} characters; at most 61 are allowed`
  if (metadata.name.includes('.')) return 'the name contains a dot; it must be a DNS label'
  if (!spec || (!spec.kubeconfigSecretRef && !spec.install))
    return 'neither kubeconfigSecretRef (adopt) nor install is set'
  if (spec.kubeconfigSecretRef && spec.install) return 'both kubeconfigSecretRef and install are set'
  return undefined
}

/** The deletion of the CR was requested. */
export const isDeletionRequested = (instance: Instance): boolean =>
  instance.metadata.deletionTimestamp !== undefined

/** The finalizer that keeps the CR until everything of the instance outside is gone. */
export const FINALIZER = 'kairship.io/instance-controller'

/** The CR carries our finalizer: from here on we may create things outside. */
export const isClaimed = (instance: Instance): boolean =>
  instance.metadata.finalizers?.includes(FINALIZER) ?? false

/** Whether role bindings may have been materialized inside: an earlier status says so, or that it was tried. */
export const mayHaveRoleBindings = ({ status }: Instance): boolean =>
  status?.conditions?.some(
    ({ type, status }) => type === 'RoleBindingsMaterialized' && status !== 'Unknown',
  ) ?? false

/** Whether the object is there to stay. */
export const exists = (object: OutsideObject | 'absent' | undefined): object is OutsideObject =>
  object !== undefined && object !== 'absent' && !object.deleting

/** The virtual cluster says that everything of the instance was read and is being followed. */
export const isSynced = ({ virtualCluster }: Facts): boolean =>
  exists(virtualCluster) && virtualCluster.verdict?.holds === true

/** The control plane answers, and no older Instance manages it; unknown until its identity was read and compared. */
export const isDistinct = ({ controlPlane, duplicate }: Facts): boolean =>
  controlPlane?.ok === true &&
  duplicate !== undefined &&
  duplicate.first === undefined &&
  (duplicate.of === undefined || duplicate.of === controlPlane.id)

/**
 * The control plane has answered under the current kubeconfig. Until then the kubeconfig may point anywhere, and is not
 * handed on.
 */
export const isReachedWithCurrent = ({ credentials, reachedWith }: Facts): boolean =>
  credentials?.ok === true && credentials.fingerprint === reachedWith

/**
 * It is a Karmada, as far as it answers: `cluster.karmada.io` is served, though it may be out of order just now. A plain
 * cluster does not serve it, and gets nothing of ours.
 */
export const isKarmada = ({ aggregatedApi }: Facts): boolean =>
  aggregatedApi !== undefined && (aggregatedApi.ok || aggregatedApi.failure.reason !== 'NotServed')

/**
 * Every source has answered since contact was made, or is known not to answer: what is said of the instance is a judgement and
 * not ignorance. Before this, nothing that an earlier process wrote is overwritten.
 */
export function isAssessed({ credentials, controlPlane, aggregatedApi, silence, ...facts }: Facts): boolean {
  const reached = credentials?.ok
    ? controlPlane !== undefined &&
      aggregatedApi !== undefined &&
      // One that cannot be reached cannot be compared either.
      (facts.duplicate !== undefined || !controlPlane.ok)
    : credentials !== undefined
  const seen = (fact: 'virtualCluster' | 'registration') =>
    facts[fact] !== undefined || silence?.[fact] !== undefined
  return reached && seen('virtualCluster') && seen('registration')
}
