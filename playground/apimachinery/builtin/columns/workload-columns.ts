import { at, type JsonObject, listAt, stringAt } from '../../json.js'
import type { PrinterColumn } from '../../resource-definition.js'
import {
  AGE,
  between,
  column,
  conditionIsTrue,
  containers,
  count,
  flag,
  labelsOf,
  length,
  NAME,
  number,
  selectorColumn,
  since,
  text,
  wide,
} from './column.js'

const TEMPLATE = 'spec.template.spec'
const readyOfDesired = column(
  'Ready',
  object => `${count(object, 'status.readyReplicas')}/${count(object, 'spec.replicas')}`,
  'Ready pods, of those wanted.',
)

export const DEPLOYMENT_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  readyOfDesired,
  column('Up-to-date', number('status.updatedReplicas'), 'Pods of the current template.'),
  column('Available', number('status.availableReplicas'), 'Pods ready for at least minReadySeconds.'),
  AGE,
  ...containers(TEMPLATE),
  selectorColumn('spec.selector'),
]

export const STATEFUL_SET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  readyOfDesired,
  AGE,
  ...containers(TEMPLATE),
]

const replicas = (selector: PrinterColumn): readonly PrinterColumn[] => [
  NAME,
  column('Desired', number('spec.replicas'), 'Pods wanted.', 'integer'),
  column('Current', number('status.replicas'), 'Pods there are.', 'integer'),
  column('Ready', number('status.readyReplicas'), 'Pods that are ready.', 'integer'),
  AGE,
  ...containers(TEMPLATE),
  selector,
]

export const REPLICA_SET_COLUMNS = replicas(selectorColumn('spec.selector'))
export const REPLICATION_CONTROLLER_COLUMNS = replicas(
  wide('Selector', labelsOf('spec.selector'), 'Labels of the pods.'),
)

export const DAEMON_SET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Desired', number('status.desiredNumberScheduled'), 'Nodes that should run the pod.', 'integer'),
  column('Current', number('status.currentNumberScheduled'), 'Nodes that run the pod and should.', 'integer'),
  column('Ready', number('status.numberReady'), 'Nodes with a ready pod.', 'integer'),
  column(
    'Up-to-date',
    number('status.updatedNumberScheduled'),
    'Nodes with a pod of the current template.',
    'integer',
  ),
  column('Available', number('status.numberAvailable'), 'Nodes with an available pod.', 'integer'),
  column('Node Selector', labelsOf('spec.template.spec.nodeSelector'), 'Labels a node must have.'),
  AGE,
  ...containers(TEMPLATE),
  selectorColumn('spec.selector'),
]

function completions(job: JsonObject): string {
  const succeeded = count(job, 'status.succeeded')
  const wanted = at(job, 'spec', 'completions')
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`
  const parallelism = count(job, 'spec.parallelism')
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobStatus(job: JsonObject): string {
  if (conditionIsTrue(job, 'Complete')) return 'Complete'
  if (conditionIsTrue(job, 'Failed')) return 'Failed'
  if (at(job, 'metadata', 'deletionTimestamp') !== undefined) return 'Terminating'
  const told = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(type => conditionIsTrue(job, type))
  return told ?? 'Running'
}

export const JOB_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Status', jobStatus, 'Status of the job.'),
  column('Completions', completions, 'Pods that succeeded, of those that should.'),
  column('Duration', between('status.startTime', 'status.completionTime'), 'Time from start to completion.'),
  AGE,
  ...containers(TEMPLATE),
  selectorColumn('spec.selector'),
]

export const CRON_JOB_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Schedule', text('spec.schedule'), 'In Cron format.'),
  column('Timezone', text('spec.timeZone', '<none>'), 'Time zone of the schedule.'),
  column(
    'Suspend',
    object => (flag('spec.suspend')(object, new Date(0)) ? 'True' : 'False'),
    'Whether no more runs start.',
    'boolean',
  ),
  column('Active', length('status.active'), 'Running jobs.', 'integer'),
  column('Last Schedule', since('status.lastScheduleTime', '<none>'), 'When a job was last started.'),
  AGE,
  ...containers('spec.jobTemplate.spec.template.spec'),
  selectorColumn('spec.jobTemplate.spec.selector'),
]

export const CONTROLLER_REVISION_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column(
    'Controller',
    object => {
      const owner = listAt(object, 'metadata', 'ownerReferences').find(one => at(one, 'controller') === true)
      if (owner === undefined) return '<none>'
      const group = stringAt(owner, 'apiVersion').split('/').slice(0, -1).join('')
      const kind = stringAt(owner, 'kind').toLowerCase()
      return `${group === '' ? kind : `${kind}.${group}`}/${stringAt(owner, 'name')}`
    },
    'The object this is a revision of.',
  ),
  column('Revision', number('revision'), 'Number of the revision.'),
  AGE,
]

function metricText(spec: JsonObject, current: JsonObject | undefined): string {
  const type = stringAt(spec, 'type')
  const key = type.charAt(0).toLowerCase() + type.slice(1)
  const target = (name: string) => at(spec, key, 'target', name)
  const now = (name: string): string => {
    const value = at(current, key, 'current', name)
    return value === undefined ? '<unknown>' : String(value)
  }
  const resource =
    type === 'Resource' || type === 'ContainerResource' ? `${stringAt(spec, key, 'name')}: ` : ''
  if (target('averageValue') !== undefined) {
    return `${resource}${now('averageValue')}/${String(target('averageValue'))}${type === 'Object' || type === 'External' ? ' (avg)' : ''}`
  }
  if (resource !== '') {
    const used = now('averageUtilization')
    const wanted = target('averageUtilization')
    return `${resource}${used === '<unknown>' ? used : `${used}%`}/${wanted === undefined ? '<auto>' : `${String(wanted)}%`}`
  }
  return `${now('value')}/${String(target('value') ?? '<unknown>')}`
}

function metricsText(autoscaler: JsonObject): string {
  const specs = listAt(autoscaler, 'spec', 'metrics')
  if (specs.length === 0) return '<none>'
  const current = listAt(autoscaler, 'status', 'currentMetrics')
  const texts = specs.map((spec, index) =>
    metricText(spec as JsonObject, current[index] as JsonObject | undefined),
  )
  return texts.length > 2 ? `${texts.slice(0, 2).join(', ')} + ${texts.length - 2} more...` : texts.join(', ')
}

export const AUTOSCALER_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column(
    'Reference',
    object =>
      `${stringAt(object, 'spec', 'scaleTargetRef', 'kind')}/${stringAt(object, 'spec', 'scaleTargetRef', 'name')}`,
    'What is scaled.',
  ),
  column('Targets', metricsText, 'Current and wanted values of the metrics.'),
  column('MinPods', text('spec.minReplicas', '<unset>'), 'Lower bound of replicas.'),
  column('MaxPods', number('spec.maxReplicas'), 'Upper bound of replicas.'),
  column('Replicas', number('status.currentReplicas'), 'Replicas there are.'),
  AGE,
]

const orNotAvailable = (path: string) => text(path, 'N/A')

export const DISRUPTION_BUDGET_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column('Min Available', orNotAvailable('spec.minAvailable'), 'Pods that must stay available.'),
  column('Max Unavailable', orNotAvailable('spec.maxUnavailable'), 'Pods that may be unavailable.'),
  column(
    'Allowed Disruptions',
    number('status.disruptionsAllowed'),
    'Pods that may be evicted now.',
    'integer',
  ),
  AGE,
]
