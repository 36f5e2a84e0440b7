import { test } from 'vitest'
import { Scenario } from './scenario.js'

/**
 * A test that begins scenarios of its own, which are over when it is: such tests share nothing and mostly wait, so those
 * of a file run at once.
 */
export const it = test.extend<{ begin: typeof Scenario.start }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads there which other fixtures this one needs.
  begin: async ({}, use) => {
    const begun: Scenario[] = []
    await use(async options => {
      const scenario = await Scenario.start(options)
      begun.push(scenario)
      return scenario
    })
    await Promise.all(begun.map(scenario => scenario.end()))
  },
})
