import { expect, it } from 'vitest'
import { typeOfWhole } from '../../../../http/rpc/core/workloads.js'

it.each([
  ['Deployment', 'Deployment'],
  ['deployment', 'Deployment'],
  ['deployments', 'Deployment'],
  ['cronjobs', 'CronJob'],
  ['statefulset', 'StatefulSet'],
])('the kind of a workload may be written %s', (given, kind) => {
  expect(typeOfWhole(given).kind).toBe(kind)
})

it.each(['deploymnet', 'ReplicaSet', '', 'constructor'])(
  'the kind %j is refused with the known ones',
  given => {
    expect(() => typeOfWhole(given)).toThrow(
      `kind: is ${JSON.stringify(given)}, but must be one of Deployment, StatefulSet, DaemonSet, Service, Job, CronJob`,
    )
  },
)
