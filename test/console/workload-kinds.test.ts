import { expect, it } from 'vitest'
import { workloadKindOf } from '../../console/kube/workload-kinds.js'

it.each([
  ['apps/v1', 'Deployment', 'deployments'],
  ['apps/v1', 'StatefulSet', 'statefulsets'],
  ['apps/v1', 'DaemonSet', 'daemonsets'],
  ['batch/v1', 'Job', 'jobs'],
  ['batch/v1', 'CronJob', 'cronjobs'],
  ['v1', 'ConfigMap', undefined],
  ['example.io/v1', 'Deployment', undefined],
  ['apps/v1', 'toString', undefined],
])('%s %s is one of the %s workloads', (apiVersion, kind, workloads) => {
  expect(workloadKindOf(apiVersion, kind)).toBe(workloads)
})
