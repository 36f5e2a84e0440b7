import { stringify } from 'yaml'
import type { Config } from '../config.js'
import type { Client } from './client.js'
import { age, columns } from './columns.js'
import { CommandError, ExitCode } from './exit-code.js'
import {
  type InstanceMessage,
  instanceList,
  instanceMessage,
  instanceWatchMessage,
} from './instance-message.js'

const root = '/apis/kairship.io/v1alpha1/instances'

/** What a client command needs of its process. */
export interface Asking {
  readonly client: Client
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal
  readonly now: () => number
  /** Resolves after a while, or at once when `signal` aborts. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>
}

/** `kairship get instances [name...]` */
export async function getInstances(
  asking: Asking,
  config: Config,
  names: readonly string[],
): Promise<ExitCode> {
  if (config.watch) return watchInstances(asking, config, names)
  const answer = names.length === 1 ? await getOne(asking, names[0] ?? '') : await listAll(asking, names)
  asking.out(write(answer, config.output, asking.now()))
  return ExitCode.ok
}

interface Answer {
  /** What the server sent, untouched, for `-o json` and `-o yaml`. */
  readonly raw: unknown
  readonly instances: readonly InstanceMessage[]
}

async function getOne({ client }: Asking, name: string): Promise<Answer> {
  const raw = await client.get(`${root}/${encodeURIComponent(name)}`)
  return { raw, instances: [instanceMessage.parse(raw)] }
}

async function listAll({ client }: Asking, names: readonly string[]): Promise<Answer> {
  const raw = await client.get(`${root}?sortBy=field_name&sortDir=asc`)
  const { items } = instanceList.parse(raw)
  if (names.length === 0) return { raw, instances: items }
  const missing = names.filter(name => !items.some(({ metadata }) => metadata.name === name))
  if (missing.length > 0) throw new CommandError(`no such instance: ${missing.join(', ')}`, ExitCode.notFound)
  const wanted = (item: unknown): boolean => names.includes(instanceMessage.parse(item).metadata.name)
  return {
    raw: { items: (raw as { items: unknown[] }).items.filter(wanted) },
    instances: items.filter(({ metadata }) => names.includes(metadata.name)),
  }
}

const header = ['NAME', 'STATE', 'KARMADA', 'KUBERNETES', 'CLUSTERS', 'AGE']
const wideHeader = [...header, 'NODES', 'ENDPOINT', 'MESSAGE']

/** One line about an instance; `-` where nothing is known. */
function cells({ metadata, status }: InstanceMessage, now: number, wide: boolean): readonly string[] {
  const { clusterSummary, nodeSummary } = status?.summary ?? {}
  const narrow = [
    metadata.name,
    stateWord(status),
    status?.karmadaVersion || '-',
    status?.kubernetesVersion || '-',
    clusterSummary ? `${clusterSummary.readyNum}/${clusterSummary.totalNum}` : '-',
    metadata.creationTimestamp ? age(metadata.creationTimestamp, now) : '-',
  ]
  if (!wide) return narrow
  const ready = status?.conditions.find(({ type }) => type === 'Ready')
  return [
    ...narrow,
    nodeSummary ? `${nodeSummary.readyNum}/${nodeSummary.totalNum}` : '-',
    status?.endpoint || '-',
    (ready?.status !== 'True' && ready?.message) || '-',
  ]
}

/** The machine's state where the server tells it, else the contract's coarser word. */
export const stateWord = (status: InstanceMessage['status']): string =>
  status?.phase || status?.state.replace('INSTANCE_STATE_', '') || 'UNKNOWN'

function write({ raw, instances }: Answer, output: Config['output'], now: number): string {
  if (output === 'json') return `${JSON.stringify(raw, null, 2)}\n`
  if (output === 'yaml') return stringify(raw)
  if (instances.length === 0) return 'No instances.\n'
  const wide = output === 'wide'
  return columns(
    wide ? wideHeader : header,
    instances.map(instance => cells(instance, now, wide)),
  ).text
}

/** Pause before a broken watch is resumed: long enough not to hammer, short enough not to be missed by a person. */
const resumePauseMs = 1_000

/** Prints every change until interrupted. A watch that breaks is resumed where it broke. */
async function watchInstances(asking: Asking, config: Config, names: readonly string[]): Promise<ExitCode> {
  const { client, out, err, signal, now, pause } = asking
  const query = names.length === 1 ? `?name=${encodeURIComponent(names[0] ?? '')}` : ''
  const wide = config.output === 'wide'
  const line = columns(wide ? wideHeader : header, [header.map(() => ' '.repeat(14))]).row
  if (config.output === 'table' || wide) out(line(wide ? wideHeader : header))
  let resumeToken: string | undefined
  while (!signal.aborted) {
    try {
      for await (const raw of client.stream(`${root}:watch${query}`, {
        signal,
        ...(resumeToken === undefined ? {} : { resumeToken }),
      })) {
        const message = instanceWatchMessage.parse(raw)
        resumeToken = message.resumeToken || resumeToken
        const { instance } = message
        if (!instance || (names.length > 0 && !names.includes(instance.metadata.name))) continue
        if (config.output === 'json') out(`${JSON.stringify(raw)}\n`)
        else if (config.output === 'yaml') out(`---\n${stringify(raw)}`)
        else
          out(
            line(
              message.type === 'DELETED' ? [instance.metadata.name, 'gone'] : cells(instance, now(), wide),
            ),
          )
      }
    } catch (error) {
      if (signal.aborted) break
      // A refusal stays one however often it is asked; what broke on the way may heal.
      if (resumeToken === undefined || (error instanceof CommandError && error.exitCode !== ExitCode.failed))
        throw error
      err(`watch broken, resuming: ${error instanceof Error ? error.message : String(error)}\n`)
    }
    await pause(resumePauseMs, signal)
  }
  return ExitCode.ok
}
