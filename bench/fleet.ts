/**
 * npm run bench:fleet -- --instances N [--members M] [--json]
 *
 * What a fleet costs: a playground of N instances in a process of its own, and two real `kairship controller-manager`
 * processes over it. Measures the time until all are ready, memory of the leading process before and after, what it asks
 * of APIs while converging and in one idle minute, and how long a takeover takes after SIGTERM and after SIGKILL.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { cpus, loadavg, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import type { FleetMessage } from './fleet-host.js'
import { Replica } from './replica.js'

const { values } = parseArgs({
  options: {
    instances: { type: 'string', default: '10' },
    members: { type: 'string', default: '1' },
    'idle-seconds': { type: 'string', default: '60' },
    json: { type: 'boolean', default: false },
  },
})
const instances = Number(values.instances)
const idleSeconds = Number(values['idle-seconds'])
const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** Kubernetes' own defaults, so that figures are those of production. */
const leaseDurationMs = 15_000

const host = fork(new URL('./fleet-host.js', import.meta.url), [String(instances), values.members])
const messages: FleetMessage[] = []
const arrivals = new Set<() => void>()
host.on('message', message => {
  messages.push(message as FleetMessage)
  for (const arrived of arrivals) arrived()
})
async function told<K extends FleetMessage['kind']>(
  kind: K,
  after = 0,
): Promise<Extract<FleetMessage, { kind: K }>> {
  for (;;) {
    const found = messages.slice(after).find(message => message.kind === kind)
    if (found) return found as Extract<FleetMessage, { kind: K }>
    if (host.exitCode !== null) throw new Error(`the playground ended with ${host.exitCode}`)
    await new Promise<void>(resolve => arrivals.add(resolve))
  }
}

const started = performance.now()
const { kubeconfig } = await told('up')
say(`playground of ${instances} instances up after ${seconds(performance.now() - started)} s`)

// A follower of nothing: what a process costs without instances.
const leader = new Replica('a', kubeconfig)
await leader.listening()
const bare = await leader.measure()
const began = performance.now()
host.send({ kind: 'register' })
const ready = await told('ready')
const convergedMs = performance.now() - began
say(`all ready after ${seconds(convergedMs)} s`)

const follower = new Replica('b', kubeconfig)
await follower.listening()
await follower.calm()
const converged = await leader.settled()
const idleFrom = await leader.measure()
say(`idle for ${idleSeconds} s`)
await pause(idleSeconds * 1000)
const idleTo = await leader.measure()

const terminated = await takeover(leader, 'SIGTERM', host)
const second = new Replica('c', kubeconfig)
await second.listening()
await second.calm()
const killed = await takeover(follower, 'SIGKILL', host)

const perInstance = (figure: 'rssBytes' | 'heapBytes'): number =>
  instances === 0 ? 0 : Math.round((converged[figure] - bare[figure]) / instances)
const result = {
  bench: 'fleet',
  instances,
  membersPerInstance: Number(values.members),
  machine: {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryBytes: totalmem(),
    node: process.version,
    load: loadavg()[0],
  },
  secondsToFirstReady: Number(seconds(ready.firstMs)),
  secondsToAllReady: Number(seconds(convergedMs)),
  rssBytes: converged.rssBytes,
  heapBytes: converged.heapBytes,
  rssBytesPerInstance: perInstance('rssBytes'),
  heapBytesPerInstance: perInstance('heapBytes'),
  requestsWhileConverging: converged.requests,
  requestsInIdleMinute: difference(idleFrom.requests, idleTo.requests),
  idleSeconds,
  cpuSecondsWhileConverging: converged.cpuSeconds - bare.cpuSeconds,
  cpuSecondsIdle: idleTo.cpuSeconds - idleFrom.cpuSeconds,
  leaseDurationMs,
  takeoverMsAfterSigterm: Math.round(terminated),
  takeoverMsAfterSigkill: Math.round(killed),
}
second.kill('SIGTERM')
await second.ended
host.send({ kind: 'stop' })
await new Promise(resolve => host.once('exit', resolve))
if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
else process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)

/** Milliseconds from the signal until the host executed another replica's claim. */
async function takeover(replica: Replica, signal: NodeJS.Signals, from: ChildProcess): Promise<number> {
  const after = messages.length
  const at = Date.now()
  replica.kill(signal)
  from.send({ kind: 'report the next leader', not: replica.identity })
  const { atEpochMs } = await told('leader', after)
  await replica.ended
  say(`takeover after ${signal}: ${atEpochMs - at} ms`)
  return atEpochMs - at
}

function difference(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) {
  return Object.fromEntries(
    Object.entries(after)
      .map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  )
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(2)
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
