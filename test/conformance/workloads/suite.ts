import { conformance, type Exceptions } from '../apiserver/suite.js'
import type { Target } from '../apiserver/target.js'
import { daemonSets } from './groups/daemon-sets.js'
import { deployments } from './groups/deployments.js'
import { jobs } from './groups/jobs.js'
import { scheduling } from './groups/scheduling.js'
import { services } from './groups/services.js'
import { statefulSets } from './groups/stateful-sets.js'

/**
 * Declares what kube-controller-manager and kube-scheduler do with workloads. A member of the real stack, with KWOK's nodes, is the
 * truth: the same rows run against it and against an embedded member.
 */
export function workloadConformance(open: () => Promise<Target>, exceptions: Exceptions = {}): void {
  const groups = [deployments, statefulSets, daemonSets, jobs, services, scheduling]
  conformance("a member cluster's controllers", groups, open, exceptions)
}
