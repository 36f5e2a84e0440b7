import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { customizationRefusal } from '../../../karmada/admission/validate-customization.js'
import type { Customization } from '../../../karmada/interpreter/customized/customization.js'
import { customizationScenarios } from '../../karmada/customization-scenarios.js'
import {
  asOurs,
  type CustomizedAnswer,
  type CustomizedScenario,
  customizationOf,
  customized,
  customizedOutcome,
} from '../../karmada/customized.js'
import { LUA_SCRIPTS, SUBJECT } from '../../karmada/lua-scripts.js'
import { record, recordedAnswers, sampled } from '../../karmada/recorded.js'
import { KarmadaOracle } from '../karmada-oracle.js'
import { numRuns, seed } from './runs.js'

let oracle: KarmadaOracle
beforeAll(() => {
  oracle = new KarmadaOracle()
})
afterAll(() => oracle.close())

/** No script of the scenarios is endless: then Karmada was busy. */
const ITS_OWN = /context deadline exceeded/

const karmadas = async (scenario: CustomizedScenario): Promise<string> => {
  const answer = (await oracle.ask('customized', scenario)) as CustomizedAnswer
  return customizedOutcome(scenario, asOurs(scenario, answer))
}
const printing = (script: string): CustomizedScenario => ({
  method: 'status',
  object: SUBJECT,
  customizations: [customizationOf(SUBJECT, { statusReflection: script })],
})

it('customizations answer as Karmada’s, or fail with its words', async () => {
  await fc.assert(
    fc.asyncProperty(customizationScenarios, async scenario => {
      const theirs = await karmadas(scenario)
      fc.pre(!ITS_OWN.test(theirs))
      expect(customizedOutcome(scenario, customized(scenario))).toBe(theirs)
    }),
    { numRuns, seed },
  )
})

it('customizations are refused in the words of Karmada’s webhook', async () => {
  const ours = (one: Customization, present: readonly Customization[]) => {
    const message = customizationRefusal(one, present)
    return { allowed: message === undefined, message: message ?? '' }
  }
  const rules = LUA_SCRIPTS.map(script => customizationOf(SUBJECT, { statusReflection: script }, 'b'))
  const [first] = rules
  for (const customization of rules)
    for (const present of [[], first ? [{ ...first, metadata: { name: 'a' } }] : []]) {
      const theirs = await oracle.ask('customizationRefusal', { customization, present })
      expect(ours(customization, present)).toEqual(theirs)
    }
})

it('the recorded answers equal Karmada’s (KAIRSHIP_RECORD=1 records them again)', async () => {
  for (const [name, scenarios] of [
    ['customizations', sampled(customizationScenarios, 300)],
    ['lua', LUA_SCRIPTS.map(printing)],
  ] as const) {
    const answers: string[] = []
    for (const scenario of scenarios) answers.push(await karmadas(scenario))
    if (process.env.KAIRSHIP_RECORD) record(name, answers)
    expect(answers).toEqual(recordedAnswers(name))
  }
})
