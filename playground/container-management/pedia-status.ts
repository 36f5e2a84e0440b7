import type { Condition } from '../../manifests/kube.js'
import { equal, type Json } from '../apimachinery/json.js'
import { conditionOf, type Observed, setConditions } from '../objects/conditions.js'
import { timestamp } from '../objects/timestamp.js'
import type { PediaClusterStatus } from './pedia-cluster.js'

/** Pieces of a PediaCluster's status as they become known; what is absent stays as it is. */
export interface StatusPatch extends Omit<PediaClusterStatus, 'conditions'> {
  readonly conditions?: readonly Observed[]
}

const PARTS = ['Validated', 'SynchroRunning', 'ClusterHealthy'] as const

/** The status with what is newly known in it, and the Ready condition that follows. The same object when nothing changed. */
export function withPatch(before: PediaClusterStatus, patch: StatusPatch, now: number): PediaClusterStatus {
  const { conditions: observed = [], ...fields } = patch
  const time = timestamp(now)
  const parts = setConditions(before.conditions, observed, time)
  const conditions = setConditions(parts, [readiness(parts)], time)
  const after: PediaClusterStatus = { ...before, ...fields, conditions }
  return equal(before as unknown as Json, after as unknown as Json) ? before : after
}

/** True when all three parts are; else the message names the first that is not. */
function readiness(conditions: readonly Condition[]): Observed {
  for (const type of PARTS) {
    const condition = conditionOf(conditions, type)
    if (condition?.status === 'True') continue
    const message = condition
      ? `${type} condition is ${condition.status}, reason is ${condition.reason}`
      : `${type} condition is not found`
    return { type: 'Ready', status: 'False', reason: 'NotReady', message }
  }
  return { type: 'Ready', status: 'True', reason: 'Ready', message: '' }
}

const running = (status: Condition['status'], reason: string, message: string): Observed => ({
  type: 'SynchroRunning',
  status,
  reason,
  message,
})

/** The conditions of a synchro's life, in Clusterpedia's words. */
export const synchroConditions = {
  validated: (warning = ''): Observed => ({
    type: 'Validated',
    status: 'True',
    reason: 'Validated',
    message: warning,
  }),
  invalid: (reason: 'InvalidConfig' | 'InvalidSyncResources', message: string): Observed => ({
    type: 'Validated',
    status: 'False',
    reason,
    message,
  }),
  waiting: (): Observed => running('False', 'WaitInit', 'pediacluster is validated'),
  refused: (reason: string, message: string): Observed => running('False', reason, message),
  initialFailed: (message: string): Observed => running('False', 'InitialFailed', message),
  running: (): Observed => running('True', 'Running', 'cluster synchro is running'),
  shutDown: (): Observed => running('False', 'Shutdown', 'cluster synchro is shutdown'),
  unmonitored: (message = 'wait cluster synchro'): Observed => ({
    type: 'ClusterHealthy',
    status: 'Unknown',
    reason: 'MonitorStop',
    message,
  }),
}
