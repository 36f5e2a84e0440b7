import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import type { ClientContext } from '../client/client.js'
import { ExitCode } from '../exit-code.js'
import { age, columns } from '../print/columns.js'
import { instanceObject } from '../print/instance-object.js'
import { printed } from '../print/print.js'
import { oneLine } from '../print/printable.js'
import { phaseOf } from './get-instances.js'
import {
  type ExplanationMessage,
  explanation,
  instanceMessage,
  instanceWatchMessage,
} from './instance-message.js'

/** How many transitions a person is shown; `-o wide` and `-o json` have all that the server keeps. */
const shownTransitions = 15

/** `kairship describe instance NAME`: what state it is in, and why. With `--watch` again after every change. */
export async function describeInstance(
  context: ClientContext,
  config: Config,
  name: string,
): Promise<ExitCode> {
  const instances = jsonClient(InstanceService, context.client)
  const show = async (): Promise<void> => {
    const raw = await instances.explainInstance({ name })
    context.out(write(raw, config.output, context.now()))
  }
  await show()
  if (!config.watch) return ExitCode.ok
  try {
    for await (const raw of instances.watchInstances({ name }, { signal: context.signal })) {
      const { type, instance } = instanceWatchMessage.parse(raw)
      // The filter is a part of names.
      if (type === 'MODIFIED' && instanceMessage.parse(instance).metadata.name === name) await show()
    }
  } catch (error) {
    if (!context.signal.aborted) throw error
  }
  return ExitCode.ok
}

function write(raw: unknown, output: Config['output'], now: number): string {
  const { instance, ...further } = raw as Record<string, unknown>
  // `name` is the instance's; the other forms are of the whole explanation.
  const object = instanceObject(instance)
  const whole = output === 'name' ? object : { instance: object, ...further }
  return printed(whole, output) ?? forPeople(explanation.parse(raw), now, output === 'wide')
}

function forPeople(
  { instance, configuration, pending, transitions, leading, leader }: ExplanationMessage,
  now: number,
  wide: boolean,
): string {
  const { metadata, spec, status } = instance
  const facts: [string, string | undefined][] = [
    ['Name', metadata.name],
    ['Alias', spec?.alias],
    ['Description', spec?.description],
    ['Phase', `${phaseOf(status)}${status?.since ? ` for ${age(Date.parse(status.since), now)}` : ''}`],
    ['Endpoint', status?.endpoint],
    ['Karmada', status?.karmadaVersion],
    ['Kubernetes', status?.kubernetesVersion],
    [
      'Credentials',
      spec?.kubeconfigSecretRef
        ? `Secret ${spec.kubeconfigSecretRef.namespace}/${spec.kubeconfigSecretRef.name}`
        : undefined,
    ],
    ['Clusters', ratio(status?.summary?.clusterSummary)],
    ['Nodes', ratio(status?.summary?.nodeSummary)],
    ['Acted on by', `${leader || 'no replica'}${leading ? ' (the one that answered)' : ''}`],
  ]
  const known = facts.filter((fact): fact is [string, string] => Boolean(fact[1]))
  const conditions = (status?.conditions ?? []).map(
    ({ type, status: value, lastTransitionTime, reason, message }) => [
      type,
      value,
      lastTransitionTime ? age(Date.parse(lastTransitionTime), now) : '-',
      reason,
      message,
    ],
  )
  return [
    known.map(([key, value]) => `${`${key}:`.padEnd(14)}${oneLine(value)}\n`).join(''),
    section(
      'Conditions',
      conditions.length > 0 && columns(['TYPE', 'STATUS', 'FOR', 'REASON', 'MESSAGE'], conditions).text,
    ),
    section('Machine state', wide && configuration.map(state => `${state}\n`).join('')),
    section('Now', pending.length > 0 && pending.map(sentence => `${oneLine(sentence)}\n`).join('')),
    section('Transitions', wide ? everyTransition(transitions) : transitionsOfPhase(transitions)),
  ].join('')
}

type Transitions = ExplanationMessage['transitions']

const clockTime = (time: string): string => time.slice(11, 23)

/** The moves of every region of the machine, as it spells them. */
const everyTransition = (transitions: Transitions): string | false =>
  transitions.length > 0 &&
  columns(
    ['TIME', 'FROM', 'TO', 'EVENT', 'CAUSE'],
    transitions.map(({ time, from, to, event, cause }) => [clockTime(time), from, to, event, cause]),
  ).text

/** The moves from one phase to another, or from one step of a phase to the next. Other regions keep things outside as they are. */
function transitionsOfPhase(transitions: Transitions): string | false {
  const rows = transitions
    .map(
      ({ time, from, to, cause }) => [clockTime(time), phaseStep(from) ?? '-', phaseStep(to), cause] as const,
    )
    .filter((row): row is [string, string, string, string] => row[2] !== undefined && row[1] !== row[2])
    .slice(-shownTransitions)
  return rows.length > 0 && columns(['TIME', 'FROM', 'TO', 'CAUSE'], rows).text
}

const phases: readonly string[] = ['registering', 'virtualClusterSynced', 'ready', 'degraded', 'gone']
/** What the machine does in the phase Deleting, one after the other. */
const teardownSteps: readonly string[] = [
  'unpublishing',
  'removingRoleBindings',
  'deletingVirtualCluster',
  'uninstalling',
  'releasing',
  'released',
]

/** A state of the machine as a phase with its step, e.g. `Registering (resolving credentials)`; undefined in other regions. */
function phaseStep(path: string): string | undefined {
  const [state = '', step] = path.split('.')
  if (teardownSteps.includes(state)) return `Deleting (${inWords(state)})`
  if (!phases.includes(state)) return undefined
  return `${state.charAt(0).toUpperCase()}${state.slice(1)}${step ? ` (${inWords(step)})` : ''}`
}

const inWords = (camelCase: string): string =>
  camelCase.replace(/[A-Z]/g, letter => ` ${letter.toLowerCase()}`)

const ratio = (num: { readyNum: number; totalNum: number } | null | undefined): string | undefined =>
  num ? `${num.readyNum} of ${num.totalNum} ready` : undefined

const section = (title: string, body: string | false): string =>
  body ? `\n${title}:\n${body.replace(/^(?=.)/gm, '  ')}` : ''
