import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Measured } from './measured.js'
import { PlaygroundProcess } from './playground-process.js'
import { type Counts, Replica } from './replica.js'

/** What one run is to measure. */
export interface FleetRunOptions {
  readonly instances: number
  readonly membersPerInstance: number
  /** Whether a stand-in takes the place of the playground. */
  readonly standIn: boolean
  /** So many older instances hang, over a stand-in; only how fast the others come up is measured then. */
  readonly hanging?: number
  readonly idleSeconds: number
  /** After so long without all instances ready, what was measured until then is the result. */
  readonly giveUpSeconds: number
  /** Whether the run ends with what is kept of the settled fleet, without idling and takeovers. */
  readonly convergenceOnly: boolean
  /** Where CPU profiles and a heap snapshot of the leading process are left. */
  readonly profiles?: string
  /** Told how far it is. */
  readonly say: (text: string) => void
}

/** Kubernetes' own default, so that figures are those of production. */
const LEASE_DURATION_MS = 15_000

/** Brings a fleet up, lets it rest, changes its leader twice, and says what that cost. */
export async function measureFleet(options: FleetRunOptions): Promise<object> {
  const { instances, profiles, say } = options
  if (profiles) mkdirSync(profiles, { recursive: true })
  const playground = new PlaygroundProcess(options)
  const replicas: Replica[] = []
  const replica = async (identity: string): Promise<Replica> => {
    const started = new Replica(identity, kubeconfig, profiles && join(profiles, `replica-${identity}`))
    replicas.push(started)
    await started.listening()
    return started
  }
  const began = performance.now()
  const { kubeconfig } = await playground.told('up')
  say(`playground of ${instances} instances up after ${seconds(performance.now() - began)} s`)
  try {
    const leader = await replica('a')
    const bare = await leader.measure('collected')
    const convergence = await converged(playground, leader, options)
    if (options.hanging) return { instances, hanging: options.hanging, ...convergence }
    if (!('secondsToAllReady' in convergence)) return { instances, ...convergence }
    await leader.settled(instances)
    const settled = await leader.measure()
    const kept = await leader.measure('collected')
    const hostKept = await playground.measure('collected')
    if (profiles) await leader.snapshot(join(profiles, `leader-of-${instances}.heapsnapshot`))

    const each = (held: Measured) => {
      const of = (figure: keyof Measured): number => Math.round((held[figure] - bare[figure]) / instances)
      return {
        rss: of('rssBytes'),
        heap: of('heapBytes'),
        heapHeld: of('heapHeldBytes'),
        external: of('externalBytes'),
      }
    }
    const costs = {
      instances,
      membersPerInstance: options.membersPerInstance,
      ...convergence,
      bare,
      settled,
      collected: kept,
      collectedPerInstance: each(kept),
      playgroundCollected: hostKept,
    }
    if (options.convergenceOnly) return costs

    const follower = await replica('b')
    await follower.settled(instances)
    await leader.settled(instances)
    const [idleFrom, deedsFrom] = [await leader.measure(), await leader.deeds()]
    say(`idle for ${options.idleSeconds} s`)
    const idling = await idledFor(options.idleSeconds, leader, idleFrom)
    const [idleTo, deedsTo] = [await leader.measure(), await leader.deeds()]

    const noticed = options.standIn ? await noticedChanges(playground) : undefined
    const afterSigterm = await takeover(playground, leader, 'SIGTERM', say)
    const second = await replica('c')
    await second.settled(instances)
    const afterSigkill = await takeover(playground, follower, 'SIGKILL', say)

    return {
      ...costs,
      idleSeconds: options.idleSeconds,
      requestsWhileIdle: difference(deedsFrom.requests, deedsTo.requests),
      cpuSecondsIdle: rounded(idleTo.cpuSeconds - idleFrom.cpuSeconds),
      cpuPercentIdle: idling,
      rested: idleTo,
      restedPerInstance: each(idleTo),
      ...(noticed && { changeSeenMs: noticed }),
      leaseDurationMs: LEASE_DURATION_MS,
      takeoverMsAfterSigterm: Math.round(afterSigterm),
      takeoverMsAfterSigkill: Math.round(afterSigkill),
    }
  } finally {
    for (const each of replicas) each.kill('SIGTERM')
    await Promise.all(replicas.map(({ ended }) => ended))
    await playground.stop()
  }
}

/** From the creation of the first Instance until the host has stored phase Ready for the last, or until it is given up. */
async function converged(playground: PlaygroundProcess, leader: Replica, options: FleetRunOptions) {
  const { giveUpSeconds, instances, say } = options
  const [from, hostFrom, began] = [await leader.measure(), await playground.measure(), performance.now()]
  const waited = (): number => performance.now() - began
  playground.send({ kind: 'register' })
  const cpu = async () => ({
    leader: rounded((await leader.measure()).cpuSeconds - from.cpuSeconds),
    playground: rounded((await playground.measure()).cpuSeconds - hostFrom.cpuSeconds),
  })
  let readySoFar = 0
  const stopListening = playground.onProgress(async ready => {
    readySoFar = ready
    const spent = await cpu()
    const { requests } = await leader.deeds()
    const sum = Object.values(requests).reduce((sum, count) => sum + count, 0)
    say(
      `${seconds(waited())} s: ${ready} of ${instances} ready, ${sum} requests, ` +
        `CPU ${spent.leader} s leader + ${spent.playground} s playground`,
    )
  })
  const ready = await Promise.race([playground.told('ready'), pause(giveUpSeconds * 1000)])
  stopListening()
  const spent = await cpu()
  const deeds = await leader.deeds()
  say(ready ? `all ready after ${seconds(ready.lastMs)} s` : `given up with ${readySoFar} ready`)
  return {
    ...(ready
      ? {
          secondsToFirstReady: rounded(ready.firstMs / 1000),
          secondsToAllReady: rounded(ready.lastMs / 1000),
        }
      : { gaveUpAfterSeconds: giveUpSeconds, ready: readySoFar }),
    cpuSecondsWhileConverging: spent,
    requestsWhileConverging: deeds.requests,
    refusedWhileConverging: deeds.refused,
    failedEffectsWhileConverging: deeds.failures,
    brokenWatchesWhileConverging: deeds.interruptions,
  }
}

/** A fleet at rest is measured in parts of so many seconds: the heap is moved together in one or two of them. */
const IDLE_PART_SECONDS = 20

/** Waits, and says how much of a core the leader used in each part of that time, in percent. */
async function idledFor(idleSeconds: number, leader: Replica, from: Measured): Promise<readonly number[]> {
  const parts: number[] = []
  let { cpuSeconds: before } = from
  for (let waited = 0; waited < idleSeconds; waited += IDLE_PART_SECONDS) {
    const part = Math.min(IDLE_PART_SECONDS, idleSeconds - waited)
    await pause(part * 1000)
    const { cpuSeconds } = await leader.measure()
    parts.push(Math.round((1000 * (cpuSeconds - before)) / part) / 10)
    before = cpuSeconds
  }
  return parts
}

/** So many instances change twice each while all others rest. */
const CHANGES = 50

/** Milliseconds from the answer to a change of an instance's registration until the host has stored the phase that follows. */
async function noticedChanges(playground: PlaygroundProcess): Promise<object> {
  playground.send({ kind: 'flap', times: CHANGES })
  const { ms } = await playground.told('noticed')
  const sorted = [...ms].sort((a, b) => a - b)
  const at = (part: number): number => Math.round(sorted[Math.ceil(part * sorted.length) - 1] ?? 0)
  return { changes: ms.length, p50: at(0.5), p99: at(0.99), most: at(1) }
}

/** Milliseconds from the signal until the host executed another replica's claim. */
async function takeover(
  playground: PlaygroundProcess,
  replica: Replica,
  signal: NodeJS.Signals,
  say: (text: string) => void,
): Promise<number> {
  const at = Date.now()
  replica.kill(signal)
  playground.send({ kind: 'report the next leader', not: replica.identity })
  const { atEpochMs } = await playground.told('leader')
  await replica.ended
  say(`takeover after ${signal}: ${atEpochMs - at} ms`)
  return atEpochMs - at
}

const difference = (before: Counts, after: Counts): Counts =>
  Object.fromEntries(
    Object.entries(after)
      .map(([key, count]) => [key, count - (before[key] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  )

const rounded = (figure: number): number => Math.round(figure * 100) / 100
const seconds = (ms: number): string => (ms / 1000).toFixed(1)
const pause = (ms: number): Promise<undefined> =>
  new Promise(resolve => setTimeout(resolve, ms, undefined).unref())
