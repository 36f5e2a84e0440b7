import { type FieldError, invalid, required } from '../../field-error.js'
import { type JsonObject, objectAt, stringAt, withAt } from '../../json.js'
import type { Strategy } from '../../resource-definition.js'
import { podSpecDefaults, podSpecErrors, templateErrors } from './pod-spec.js'
import { immutable, notNegative } from './selector-rules.js'
import { fill, mapAt, statusSubresource } from './status-subresource.js'

const JOB_RESTARTS = ['OnFailure', 'Never']

function jobSpecDefaults(spec: JsonObject): JsonObject {
  const single = spec.completions === undefined && spec.parallelism === undefined ? { completions: 1 } : {}
  const filled = fill(spec, {
    ...single,
    parallelism: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    manualSelector: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    suspend: false,
  })
  return mapAt(filled, ['template', 'spec'], podSpecDefaults)
}

/** A Job selects its pods by its uid, unless its author says that they do that themselves. */
function withSelector(job: JsonObject): JsonObject {
  const spec = objectAt(job, 'spec')
  if (spec.manualSelector === true) return job
  const [uid, name] = [stringAt(job, 'metadata', 'uid'), stringAt(job, 'metadata', 'name')]
  const template = objectAt(spec, 'template')
  const labels = {
    ...objectAt(template, 'metadata', 'labels'),
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  }
  const selector = {
    ...objectAt(spec, 'selector'),
    matchLabels: {
      ...objectAt(spec, 'selector', 'matchLabels'),
      'batch.kubernetes.io/controller-uid': uid,
    },
  }
  return withAt(withAt(job, ['spec', 'selector'], selector), ['spec', 'template'], {
    ...template,
    metadata: { ...objectAt(template, 'metadata'), labels },
  })
}

export const job: Strategy = {
  allowsUnconditionalUpdate: true,
  ...statusSubresource({}),
  settleCreate: withSelector,
  defaults: object => mapAt(object, ['spec'], jobSpecDefaults),
  validate: (object, old) => {
    const spec = objectAt(object, 'spec')
    const errors = [
      ...notNegative(
        'spec',
        spec,
        'completions',
        'parallelism',
        'backoffLimit',
        'activeDeadlineSeconds',
        'ttlSecondsAfterFinished',
      ),
      ...templateErrors(object, JOB_RESTARTS),
    ]
    if (!old) return errors
    const before = objectAt(old, 'spec')
    return [
      ...errors,
      ...immutable('spec.completions', spec.completions, before.completions),
      ...immutable('spec.selector', spec.selector, before.selector),
      ...immutable('spec.completionMode', spec.completionMode, before.completionMode),
      ...(spec.suspend === true || before.suspend === true
        ? []
        : immutable('spec.template', spec.template, before.template)),
    ]
  },
}

export const cronJob: Strategy = {
  allowsUnconditionalUpdate: true,
  ...statusSubresource({}),
  defaults: object => mapAt(object, ['spec', 'jobTemplate', 'spec', 'template', 'spec'], podSpecDefaults),
  validate: object => {
    const spec = objectAt(object, 'spec')
    const schedule = stringAt(spec, 'schedule')
    const path = 'spec.jobTemplate.spec.template.spec'
    return [
      ...(schedule === '' ? [required('spec.schedule')] : scheduleErrors(schedule)),
      ...notNegative(
        'spec',
        spec,
        'startingDeadlineSeconds',
        'successfulJobsHistoryLimit',
        'failedJobsHistoryLimit',
      ),
      ...podSpecErrors(objectAt(spec, 'jobTemplate', 'spec', 'template', 'spec'), path, JOB_RESTARTS),
    ]
  },
}

function scheduleErrors(schedule: string): FieldError[] {
  if (/^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every\s+\S+)$/.test(schedule)) return []
  const fields = schedule.trim().split(/\s+/)
  return fields.length === 5
    ? []
    : [
        invalid(
          'spec.schedule',
          schedule,
          `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`,
        ),
      ]
}
