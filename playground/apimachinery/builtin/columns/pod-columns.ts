import { timeSince } from '../../human-duration.js'
import { at, isObject, type Json, type JsonObject, listAt, objectAt, stringAt } from '../../json.js'
import type { PrinterColumn } from '../../resource-definition.js'
import { AGE, column, conditionIsTrue, NAME, text, wide } from './column.js'

/** What READY, STATUS and RESTARTS say of a pod, by the rules of `kubectl get pods`. */
interface PodSummary {
  readonly ready: number
  readonly total: number
  readonly reason: string
  readonly restarts: number
  /** When the last restarted container ended; '' when unknown. */
  readonly lastRestart: string
}

const terminated = (status: Json): JsonObject | undefined => {
  const state = at(status, 'state', 'terminated')
  return isObject(state) ? state : undefined
}

const isSidecar = (pod: JsonObject, name: string): boolean =>
  listAt(pod, 'spec', 'initContainers').some(
    one => stringAt(one, 'name') === name && stringAt(one, 'restartPolicy') === 'Always',
  )

const restartsOf = (status: Json): number => Number(at(status, 'restartCount') ?? 0)
const lastEnd = (status: Json): string => stringAt(status, 'lastState', 'terminated', 'finishedAt')
const later = (a: string, b: string): string => (a > b ? a : b)

function endReason(end: JsonObject): string {
  if (stringAt(end, 'reason') !== '') return stringAt(end, 'reason')
  return typeof end.signal === 'number' && end.signal !== 0
    ? `Signal:${end.signal}`
    : `ExitCode:${String(end.exitCode ?? 0)}`
}

function summarize(pod: JsonObject): PodSummary {
  const phase = stringAt(pod, 'status', 'phase')
  const gated = listAt(pod, 'status', 'conditions').some(
    one => stringAt(one, 'type') === 'PodScheduled' && stringAt(one, 'reason') === 'SchedulingGated',
  )
  const initial = gated ? 'SchedulingGated' : stringAt(pod, 'status', 'reason') || phase
  const sidecars = listAt(pod, 'spec', 'initContainers').filter(
    one => stringAt(one, 'restartPolicy') === 'Always',
  )
  const total = listAt(pod, 'spec', 'containers').length + sidecars.length
  const init = summarizeInit(pod)
  const main =
    init.blocked !== undefined && !conditionIsTrue(pod, 'Initialized')
      ? { reason: init.blocked, ready: 0, restarts: init.restarts, lastRestart: init.lastRestart }
      : summarizeContainers(pod, init.blocked ?? initial, init)
  return { ...main, ready: main.ready + init.ready, total, reason: terminating(pod, phase) ?? main.reason }
}

function terminating(pod: JsonObject, phase: string): string | undefined {
  if (at(pod, 'metadata', 'deletionTimestamp') === undefined) return undefined
  if (stringAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown'
  return phase === 'Failed' || phase === 'Succeeded' ? undefined : 'Terminating'
}

interface InitSummary {
  ready: number
  restarts: number
  sidecarRestarts: number
  lastRestart: string
  lastSidecarRestart: string
  /** What initialization waits for, e.g. `Init:1/2`; undefined when it is over. */
  blocked?: string
}

function summarizeInit(pod: JsonObject): InitSummary {
  const found: InitSummary = {
    ready: 0,
    restarts: 0,
    sidecarRestarts: 0,
    lastRestart: '',
    lastSidecarRestart: '',
  }
  const all = listAt(pod, 'spec', 'initContainers').length
  for (const [index, status] of listAt(pod, 'status', 'initContainerStatuses').entries()) {
    const sidecar = isSidecar(pod, stringAt(status, 'name'))
    found.restarts += restartsOf(status)
    found.lastRestart = later(found.lastRestart, lastEnd(status))
    if (sidecar) {
      found.sidecarRestarts += restartsOf(status)
      found.lastSidecarRestart = later(found.lastSidecarRestart, lastEnd(status))
    }
    const end = terminated(status)
    if (end && (end.exitCode ?? 0) === 0) continue
    if (sidecar && at(status, 'started') === true) {
      if (at(status, 'ready') === true) found.ready += 1
      continue
    }
    const waiting = stringAt(status, 'state', 'waiting', 'reason')
    if (end) found.blocked = `Init:${endReason(end)}`
    else if (waiting !== '' && waiting !== 'PodInitializing') found.blocked = `Init:${waiting}`
    else found.blocked = `Init:${index}/${all}`
    break
  }
  return found
}

function summarizeContainers(pod: JsonObject, initial: string, init: InitSummary): Omit<PodSummary, 'total'> {
  let reason = initial
  let ready = 0
  let restarts = init.sidecarRestarts
  let lastRestart = init.lastSidecarRestart
  let running = false
  let failure = ''
  for (const status of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    restarts += restartsOf(status)
    lastRestart = later(lastRestart, lastEnd(status))
    const waiting = stringAt(status, 'state', 'waiting', 'reason')
    const end = terminated(status)
    if (waiting !== '') reason = waiting
    else if (end) {
      reason = endReason(end)
      if ((end.exitCode ?? 0) !== 0) failure = reason
    } else if (at(status, 'ready') === true && at(status, 'state', 'running') !== undefined) {
      running = true
      ready += 1
    }
  }
  if (reason === 'Completed') {
    if (running && conditionIsTrue(pod, 'Ready')) reason = 'Running'
    else if (failure !== '') reason = failure
    else if (running) reason = 'NotReady'
  }
  return { ready, reason, restarts, lastRestart }
}

function restartsText({ restarts, lastRestart }: PodSummary, now: Date): string {
  return restarts === 0 || lastRestart === ''
    ? String(restarts)
    : `${restarts} (${timeSince(lastRestart, now)} ago)`
}

function readinessGates(pod: JsonObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates')
  if (gates.length === 0) return '<none>'
  return `${gates.filter(gate => conditionIsTrue(pod, stringAt(gate, 'conditionType'))).length}/${gates.length}`
}

export const POD_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column(
    'Ready',
    pod => {
      const { ready, total } = summarize(pod)
      return `${ready}/${total}`
    },
    'Containers that are ready, of all.',
  ),
  column('Status', pod => summarize(pod).reason, 'What the containers of the pod do together.'),
  column(
    'Restarts',
    (pod, now) => restartsText(summarize(pod), now),
    'How often containers restarted, and when last.',
  ),
  AGE,
  wide(
    'IP',
    pod => stringAt(listAt(pod, 'status', 'podIPs')[0], 'ip') || '<none>',
    'First IP address of the pod.',
  ),
  wide('Node', text('spec.nodeName', '<none>'), 'Node the pod is bound to.'),
  wide('Nominated Node', text('status.nominatedNodeName', '<none>'), 'Node that preemption makes room on.'),
  wide('Readiness Gates', readinessGates, 'Conditions that must hold besides the containers being ready.'),
]

/** Used by PodTemplate. */
export const POD_TEMPLATE_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  column(
    'Containers',
    object =>
      listAt(object, 'template', 'spec', 'containers')
        .map(one => stringAt(one, 'name'))
        .join(','),
    'Names of the containers in the template.',
  ),
  column(
    'Images',
    object =>
      listAt(object, 'template', 'spec', 'containers')
        .map(one => stringAt(one, 'image'))
        .join(','),
    'Images of the containers in the template.',
  ),
  column(
    'Pod Labels',
    object =>
      Object.entries(objectAt(object, 'template', 'metadata', 'labels'))
        .map(([key, value]) => `${key}=${String(value)}`)
        .join(',') || '<none>',
    'Labels of the pods.',
  ),
]
