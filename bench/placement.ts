/**
 * npm run bench:placement -- [--clusters 100] [--bindings 1000] [--rounds 10] [--real] [--json]
 *
 * Placement decisions a second, ours next to Karmada's own functions, and the time from a Deployment to all members ready in the
 * playground, with `--real` next to real Karmada; see bench/README.md.
 */
import { readFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { kubeConnector } from '../actors/kube/connector.js'
import { startPlayground } from '../playground/fleet/fleet.js'
import { buildNamed } from '../test/real/build.js'
import { type ProvidedStack, startStack } from '../test/real/stack.js'
import { silent } from '../test/silent.js'
import type { Distribution } from './load.js'
import { type DecisionFigures, measureDecisions } from './placement/decisions.js'
import { measureReady } from './placement/ready.js'

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '100' },
    bindings: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '10' },
    real: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
})
const rounds = Number(values.rounds)
const say = (line: string): void => console.error(line)

/** Milliseconds until all members are ready. */
interface ReadyFigures {
  readonly playground: Distribution
  /** With `--real`. */
  readonly karmada?: Distribution
}

const MEMBERS = ['member-1', 'member-2']

async function readyInPlayground(): Promise<Distribution> {
  const connector = kubeConnector()
  const playground = await startPlayground({
    instances: 1,
    membersPerInstance: MEMBERS.length,
    connector,
    log: silent,
  })
  try {
    const [karmada] = playground.karmadas.values()
    if (!karmada) throw new Error('the playground has no instance')
    return await readyAt(await karmada.server.kubeconfig({ name: 'bench', groups: ['system:masters'] }))
  } finally {
    await playground.close()
  }
}

/** On the stack whose file `KAIRSHIP_REAL_STACK` names (`npm run real:up`), or one that is started and ended here. */
async function readyInRealKarmada(): Promise<Distribution> {
  const given = process.env.KAIRSHIP_REAL_STACK
  if (given) return readyIn(JSON.parse(readFileSync(given, 'utf8')) as ProvidedStack)
  const stack = await startStack({ karmadas: { 'karmada-east': MEMBERS }, clusterpedia: false }, say)
  try {
    return await readyIn(stack.provided())
  } finally {
    await stack.close()
  }
}

const readyIn = ({ kubeconfigs }: ProvidedStack): Promise<Distribution> =>
  readyAt(readFileSync(kubeconfigs['karmada-east'] ?? '', 'utf8'))

async function readyAt(kubeconfig: string): Promise<Distribution> {
  const api = await kubeConnector().connect(kubeconfig)
  try {
    return await measureReady(api, MEMBERS.length, rounds)
  } finally {
    await api.close()
  }
}

await buildNamed('karmada-oracle', say)
const load = loadavg()[0]
const decisions = await measureDecisions(Number(values.clusters), Number(values.bindings))
say('decisions measured; now the time to ready …')
const ready: ReadyFigures = {
  playground: await readyInPlayground(),
  ...(values.real && { karmada: await readyInRealKarmada() }),
}

const machine = `${cpus().length} × ${cpus()[0]?.model}, Node.js ${process.version}, load ${load?.toFixed(1)}`
console.log(values.json ? JSON.stringify({ decisions, ready, machine }) : report(decisions, ready))

function report(
  { clusters, bindings, kairship, karmada, equal }: DecisionFigures,
  ready: ReadyFigures,
): string {
  const decided = (name: string, { perSecond, cpuMilliseconds, milliseconds }: typeof kairship) => {
    const { p50, p99, max } = milliseconds
    return `| ${name} | ${perSecond} | ${cpuMilliseconds} | ${p50} / ${p99} / ${max} |`
  }
  const until = (name: string, { p50, p99, max, count }: Distribution) =>
    `| ${name} | ${count} | ${p50} / ${p99} / ${max} |`
  return [
    machine,
    '',
    `${bindings} bindings over ${clusters} clusters; ${equal} of them decided alike`,
    '| decides | per second | ms of CPU each | ms p50 / p99 / max |',
    '| --- | --- | --- | --- |',
    decided('Kairship', kairship),
    decided('Karmada', karmada),
    '',
    '| Deployment to ready | runs | ms p50 / p99 / max |',
    '| --- | --- | --- |',
    until('playground', ready.playground),
    ...(ready.karmada ? [until('Karmada', ready.karmada)] : []),
  ].join('\n')
}
