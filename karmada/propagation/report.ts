import type { Resource } from '../interpreter/workload.js'
import { executionNamespace } from '../names.js'
import type { Status } from '../objects/member-status.js'
import type { AggregatedStatusItem, Binding } from '../objects/resource-binding.js'
import type { ManifestStatus, Work } from '../objects/work.js'
import { stayingClusters } from './work-of.js'

/** A condition without its time. */
interface Observed {
  readonly type: string
  readonly status: 'True' | 'False'
  readonly reason: string
  readonly message: string
}

/** Whether a Work is held back. */
export const dispatching = ({ spec }: Work): Observed =>
  spec.suspendDispatching
    ? {
        type: 'Dispatching',
        status: 'False',
        reason: 'SuspendDispatching',
        message: 'Work dispatching is in a suspended state.',
      }
    : {
        type: 'Dispatching',
        status: 'True',
        reason: 'Dispatching',
        message: 'Work is being dispatched to member clusters.',
      }

/** Whether a Work's manifest is in the member. @param failure why it is not */
export const applied = (failure?: string): Observed =>
  failure === undefined
    ? {
        type: 'Applied',
        status: 'True',
        reason: 'AppliedSuccessful',
        message: 'Manifest has been successfully applied',
      }
    : {
        type: 'Applied',
        status: 'False',
        reason: 'AppliedFailed',
        message: `Failed to apply all manifests (0/1): ${failure}`,
      }

/** What interpreters say of an object in a member. */
interface Interpreted {
  readonly status: Status | undefined
  /** Undefined for kinds without a rule for health; `Unknown` where the interpreter failed. */
  readonly health: boolean | 'Unknown' | undefined
}

/** What a Work says of its manifest's object in the member. */
export function manifestStatus(observed: Resource, { status, health }: Interpreted): ManifestStatus {
  const { apiVersion, kind, metadata } = observed
  const [version = '', group] = apiVersion.split('/').reverse()
  return {
    identifier: {
      ordinal: 0,
      ...(group !== undefined && { group }),
      version,
      kind,
      resource: '',
      ...(metadata.namespace && { namespace: metadata.namespace }),
      name: metadata.name,
    },
    ...(status && { status }),
    health: health === 'Unknown' ? health : health === false ? 'Unhealthy' : 'Healthy',
  }
}

/** What a binding says of its Works, by cluster (`helper.AggregateResourceBindingWorkStatus` of Karmada). */
export function aggregated(works: readonly Work[]): readonly AggregatedStatusItem[] {
  return works
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(itemOf)
    .sort((a, b) => (a.clusterName < b.clusterName ? -1 : 1))
}

function itemOf({ metadata, status = {} }: Work): AggregatedStatusItem {
  const clusterName = (metadata.namespace ?? '').slice(executionNamespace('').length)
  const condition = status.conditions?.find(({ type }) => type === 'Applied')
  if (condition?.status !== 'True')
    return {
      clusterName,
      ...(condition?.message && { appliedMessage: condition.message }),
      health: 'Unknown',
    }
  const [manifest] = status.manifestStatuses ?? []
  return {
    clusterName,
    ...(manifest?.status && { status: manifest.status }),
    applied: true,
    health: manifest?.health ?? 'Unknown',
  }
}

/** Whether every cluster of a binding has its object. */
export function fullyApplied(binding: Binding, items: readonly AggregatedStatusItem[]): Observed {
  const clusters = stayingClusters(binding)
  const isApplied =
    clusters.size > 0 &&
    clusters.size === items.length &&
    items.every(({ applied, clusterName }) => applied && clusters.has(clusterName))
  return isApplied
    ? {
        type: 'FullyApplied',
        status: 'True',
        reason: 'FullyAppliedSuccess',
        message: 'All works have been successfully applied',
      }
    : {
        type: 'FullyApplied',
        status: 'False',
        reason: 'FullyAppliedFailed',
        message: 'Failed to apply all works, see status.aggregatedStatus for details',
      }
}
