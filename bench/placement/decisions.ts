import type { Cluster } from '../../karmada/objects/cluster.js'
import { type Scheduling, schedule } from '../../karmada/scheduling/schedule.js'
import { type OracleSchedule, outcomeOf } from '../../test/karmada/outcome.js'
import { KarmadaOracle } from '../../test/real/karmada-oracle.js'
import { type Distribution, distribution } from '../load.js'
import { bindingsOf, clustersOf, type ToSchedule } from './bindings.js'

/** Decisions of one side: how many a second, and milliseconds each. */
export interface DecisionSpeed {
  readonly perSecond: number
  /**
   * Milliseconds of CPU for one decision, of the whole process with its garbage collection: the figure to compare beside other
   * work, which makes time pass and uses no CPU of this process.
   */
  readonly cpuMilliseconds: number
  readonly milliseconds: Distribution
}

/** Our decisions next to those of Karmada's own functions. */
export interface DecisionFigures {
  readonly clusters: number
  readonly bindings: number
  readonly kairship: DecisionSpeed
  readonly karmada: DecisionSpeed
  /** Bindings for which both decided the same, of `bindings`. */
  readonly equal: number
}

interface Timed {
  readonly outcomes: readonly string[]
  readonly milliseconds: readonly number[]
  /** Of all of them. */
  readonly cpuMilliseconds: number
}

/** The first rounds warm both up and are not counted. */
const WARM_UP = 2
const ROUNDS = 5

/** Both decide the same bindings in turns, each over all clusters, so that a busy moment of the machine meets both. */
export async function measureDecisions(clusters: number, bindings: number): Promise<DecisionFigures> {
  const given = clustersOf(clusters)
  const wanted = bindingsOf(bindings)
  const oracle = new KarmadaOracle()
  const ours: Timed[] = []
  const theirs: Timed[] = []
  try {
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      ours.push(scheduleAll(given, wanted))
      theirs.push(await karmadaSchedulesAll(oracle, given, wanted))
    }
  } finally {
    oracle.close()
  }
  const [our, their] = [ours.at(-1)?.outcomes ?? [], theirs.at(-1)?.outcomes ?? []]
  const equal = our.filter((outcome, at) => outcome === their[at]).length
  return { clusters, bindings, kairship: speedOf(ours), karmada: speedOf(theirs), equal }
}

function scheduleAll(clusters: readonly Cluster[], bindings: readonly ToSchedule[]): Timed {
  const outcomes: Scheduling[] = []
  const milliseconds: number[] = []
  const before = process.cpuUsage()
  for (const { spec, status } of bindings) {
    const began = performance.now()
    const decision = schedule(spec, status, clusters)
    milliseconds.push(performance.now() - began)
    outcomes.push(decision)
  }
  const { user, system } = process.cpuUsage(before)
  return {
    outcomes: outcomes.map(outcomeOf),
    milliseconds,
    cpuMilliseconds: (user + system) / 1_000,
  }
}

/** Karmada's time is taken inside the oracle around each decision: no JSON and no pipe is counted. */
async function karmadaSchedulesAll(
  oracle: KarmadaOracle,
  clusters: readonly Cluster[],
  bindings: readonly ToSchedule[],
): Promise<Timed> {
  const answer = (await oracle.ask('scheduleAll', { clusters, bindings })) as {
    readonly decisions?: readonly OracleSchedule[]
    readonly nanoseconds?: readonly number[]
    readonly cpuNanoseconds?: number
    readonly problem?: string
  }
  const { decisions, nanoseconds, cpuNanoseconds } = answer
  if (!decisions || !nanoseconds || cpuNanoseconds === undefined)
    throw new Error(`the oracle: ${answer.problem}`)
  return {
    outcomes: decisions.map(outcomeOf),
    milliseconds: nanoseconds.map(one => one / 1e6),
    cpuMilliseconds: cpuNanoseconds / 1e6,
  }
}

function speedOf(rounds: readonly Timed[]): DecisionSpeed {
  const counted = rounds.slice(WARM_UP)
  const each = counted.flatMap(({ milliseconds }) => milliseconds)
  const total = each.reduce((sum, one) => sum + one, 0)
  const cpu = counted.reduce((sum, { cpuMilliseconds }) => sum + cpuMilliseconds, 0)
  return {
    perSecond: Math.round((each.length / total) * 1_000),
    cpuMilliseconds: Math.round((cpu / each.length) * 1_000) / 1_000,
    milliseconds: distribution(each),
  }
}
