import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { componentsOf } from '../../../karmada/interpreter/components.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { Component } from '../../../karmada/objects/binding.js'
import { schedule } from '../../../karmada/scheduling/schedule.js'
import {
  componentScenarios,
  componentsText,
  componentWorkloads,
  groupScenarios,
} from '../../karmada/component-scenarios.js'
import { type OracleSchedule, outcomeOf } from '../../karmada/outcome.js'
import { record, recordedAnswers, sampled } from '../../karmada/recorded.js'
import { KarmadaOracle } from '../karmada-oracle.js'
import { numRuns, seed } from './runs.js'

/** What Karmada's feature gates WorkloadAffinity and MultiplePodTemplatesScheduling decide, asked of both. */

let oracle: KarmadaOracle
beforeAll(() => {
  oracle = new KarmadaOracle()
})
afterAll(() => oracle.close())

const agrees = <T>(scenarios: fc.Arbitrary<T>, check: (scenario: T) => Promise<void>) =>
  fc.assert(fc.asyncProperty(scenarios, check), { numRuns, seed })

describe('Karmada makes the same decisions about', () => {
  it('the clusters of a workload of an affinity group', () =>
    agrees(groupScenarios, async ({ spec, status, clusters, bindings }) => {
      const ours = schedule(spec, status, clusters, { bindings: () => bindings })
      const theirs = await theirSchedule({ spec, status, clusters, bindings })
      expect(outcomeOf(ours)).toEqual(outcomeOf(theirs))
      const refused = ours.verdicts.filter(({ refusals }) => refusals.length > 0)
      if (theirs.refused)
        expect(refused.map(({ cluster }) => cluster).sort()).toEqual(Object.keys(theirs.refused).sort())
    }))

  it('the clusters of a workload of several components', () =>
    agrees(componentScenarios, async ({ spec, status, clusters }) => {
      const ours = schedule(spec, status, clusters)
      const theirs = await theirSchedule({ spec, status, clusters })
      expect(outcomeOf(ours)).toEqual(outcomeOf(theirs))
    }))

  it('the components of third-party kinds', () =>
    agrees(componentWorkloads, async object => {
      expect(componentsText(componentsOf(object))).toEqual(componentsText(await theirComponents(object)))
    }))

  it('both, and the recorded answers equal Karmada’s (KAIRSHIP_RECORD=1 records them again)', async () => {
    const answers = new Map<string, string[]>([
      ['affinity-groups', []],
      ['component-sets', []],
      ['components', []],
    ])
    for (const scenario of sampled(groupScenarios, 500))
      answers.get('affinity-groups')?.push(outcomeOf(await theirSchedule(scenario)))
    for (const scenario of sampled(componentScenarios, 500))
      answers.get('component-sets')?.push(outcomeOf(await theirSchedule(scenario)))
    for (const object of sampled(componentWorkloads, 200))
      answers.get('components')?.push(componentsText(await theirComponents(object)))
    for (const [name, lines] of answers) {
      if (process.env.KAIRSHIP_RECORD) record(name, lines)
      expect(lines).toEqual(recordedAnswers(name))
    }
  })
})

const theirSchedule = async (scenario: object) => (await oracle.ask('schedule', scenario)) as OracleSchedule

const theirComponents = async (object: Resource) =>
  (await oracle.ask('interpret', { method: 'components', object })) as Component[] | null
