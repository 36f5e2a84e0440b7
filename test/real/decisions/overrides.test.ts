import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OverrideAnswer, overridden, overrideOutcome } from '../../karmada/overridden.js'
import { type OverrideScenario, overrideScenarios } from '../../karmada/override-scenarios.js'
import { record, recordedAnswers, sampled } from '../../karmada/recorded.js'
import { KarmadaOracle } from '../karmada-oracle.js'
import { numRuns, seed } from './runs.js'

let oracle: KarmadaOracle
beforeAll(() => {
  oracle = new KarmadaOracle()
})
afterAll(() => oracle.close())

const karmadas = async (scenario: OverrideScenario): Promise<string> =>
  overrideOutcome((await oracle.ask('overrides', scenario)) as OverrideAnswer)

it('overrides give the same object as Karmada, or are refused when Karmada refuses them', async () => {
  await fc.assert(
    fc.asyncProperty(overrideScenarios, async scenario => {
      expect(overrideOutcome(overridden(scenario))).toBe(await karmadas(scenario))
    }),
    { numRuns, seed },
  )
})

it('the recorded answers equal Karmada’s (KAIRSHIP_RECORD=1 records them again)', async () => {
  const answers: string[] = []
  for (const scenario of sampled(overrideScenarios, 300)) answers.push(await karmadas(scenario))
  if (process.env.KAIRSHIP_RECORD) record('overrides', answers)
  expect(answers).toEqual(recordedAnswers('overrides'))
})
