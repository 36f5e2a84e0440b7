import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bindingName, executionNamespace, policyName, workName } from '../../../karmada/names.js'
import { type Decision, schedule } from '../../../karmada/scheduling/schedule.js'
import { divideByWeight } from '../../../karmada/scheduling/webster.js'
import { type OracleSchedule, outcomeOf } from '../../karmada/outcome.js'
import { record, recordedAnswers, sampled } from '../../karmada/recorded.js'
import { type Scenario, scenarios } from '../../karmada/scenarios.js'
import { KarmadaOracle } from '../karmada-oracle.js'
import { numRuns, seed } from './runs.js'

/** Karmada's own functions and ours, asked the same; a difference is shrunk, and its seed and path are printed. */

let oracle: KarmadaOracle
beforeAll(() => {
  oracle = new KarmadaOracle()
})
afterAll(() => oracle.close())

const ask = async (op: string, question: object): Promise<OracleSchedule> =>
  (await oracle.ask(op, question)) as OracleSchedule

describe('Karmada makes the same decisions about', () => {
  it('the clusters of a template, and the replicas of each', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async scenario => {
        const ours = schedule(scenario.spec, scenario.status, scenario.clusters)
        const theirs = await karmadas(scenario)
        expect(outcomeOf(ours)).toEqual(outcomeOf(theirs))
        expect(unexplained(ours, theirs)).toEqual([])
      }),
      { numRuns, seed },
    )
  })

  it('scheduling, and the recorded answers equal Karmada’s (KAIRSHIP_RECORD=1 records them again)', async () => {
    const answers: string[] = []
    for (const scenario of sampled(scenarios)) answers.push(outcomeOf(await karmadas(scenario)))
    if (process.env.KAIRSHIP_RECORD) record('scheduling', answers)
    expect(answers).toEqual(recordedAnswers('scheduling'))
  })

  it('the division of replicas by weight', async () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f')
    const division = fc.record({
      replicas: fc.nat(500),
      votes: fc.dictionary(names, fc.nat(40)),
      initial: fc.dictionary(names, fc.nat(20), { maxKeys: 3 }),
      uid: fc.string({ maxLength: 8 }),
    })
    await fc.assert(
      fc.asyncProperty(division, async ({ replicas, votes, initial, uid }) => {
        const before = Object.entries(initial).map(([name, replicas]) => ({ name, replicas }))
        const ours = divideByWeight(replicas, new Map(Object.entries(votes)), before, uid)
        const { clusters } = await ask('seats', { replicas, votes, initial, uid })
        expect(ours).toEqual(clusters)
      }),
      { numRuns, seed },
    )
  })

  it('the names of the objects made from a template', async () => {
    const text = fc.stringMatching(/^[A-Za-z0-9:.-]{1,30}$/)
    const named = fc.record({ kind: text, name: text, namespace: fc.oneof(fc.constant(''), text), gvk: text })
    await fc.assert(
      fc.asyncProperty(named, async ({ kind, name, namespace, gvk }) => {
        expect({
          binding: bindingName(kind, name),
          work: workName(kind, name, namespace),
          policy: policyName(namespace, name, gvk),
          executionSpace: executionNamespace(name),
        }).toEqual(await ask('names', { kind, name, namespace, gvk, cluster: name }))
      }),
      { numRuns, seed },
    )
  })
})

/** What Karmada decides; its scheduler tries the affinity groups itself, in code that cannot be called alone. */
async function karmadas({ spec, status, clusters }: Scenario): Promise<OracleSchedule> {
  const { clusterAffinities } = spec.placement
  if (!clusterAffinities) return ask('schedule', { spec, status, clusters })
  const names = clusterAffinities.map(({ affinityName }) => affinityName)
  const from = Math.max(0, names.indexOf(status.schedulerObservingAffinityName ?? ''))
  let first: OracleSchedule | undefined
  for (const schedulerObservingAffinityName of names.slice(from)) {
    const answer = await ask('schedule', {
      spec,
      status: { ...status, schedulerObservingAffinityName },
      clusters,
    })
    if (!answer.reason) return answer
    first ??= answer
  }
  return first as OracleSchedule
}

/** Clusters that Karmada refuses for a reason that we do not name, or that only one of us refuses. */
function unexplained({ verdicts }: Decision, { refused }: OracleSchedule): readonly string[] {
  if (!refused) return []
  const ours = new Map(
    verdicts.map(({ cluster, refusals }) => [cluster, refusals.map(({ reason }) => reason)]),
  )
  const missing = Object.entries(refused).filter(
    ([cluster, reasons]) => !reasons.every(reason => ours.get(cluster)?.includes(reason)),
  )
  const onlyOurs = [...ours].filter(([cluster, reasons]) => reasons.length > 0 && !refused[cluster])
  return [...missing, ...onlyOurs].map(([cluster, reasons]) => `${cluster}: ${reasons.join(', ')}`)
}
