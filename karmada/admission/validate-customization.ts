import {
  type Customization,
  RULES,
  type RuleName,
  scriptOf,
} from '../interpreter/customized/customization.js'
import { syntaxProblem } from '../lua/run.js'

/**
 * Why Karmada's webhook refuses a ResourceInterpreterCustomization: another one has a script for the same operation of the same kind, or a
 * script is not Lua. Whether a script defines the function that is called shows when it is called.
 * @param present the customizations that are there
 */
export function customizationRefusal(
  customization: Customization,
  present: readonly Customization[],
): string | undefined {
  const rules = Object.keys(RULES) as RuleName[]
  const { target } = customization.spec
  for (const other of present) {
    const isSame =
      other.spec.target.apiVersion === target.apiVersion && other.spec.target.kind === target.kind
    if (other.metadata.name === customization.metadata.name || !isSame) continue
    // Dependencies may have several scripts.
    const conflict = rules.find(
      rule =>
        rule !== 'dependencyInterpretation' &&
        scriptOf(other, rule) !== '' &&
        scriptOf(customization, rule) !== '',
    )
    if (conflict)
      return `conflicting with InterpreterOperation(${RULES[conflict]}) of existing ResourceInterpreterCustomization(${other.metadata.name})`
  }
  for (const rule of rules) {
    const script = scriptOf(customization, rule)
    const problem = script === '' ? undefined : syntaxProblem(script)
    if (problem !== undefined) return `InterpreterOperation(${RULES[rule]}) Lua script error: ${problem}`
  }
  return undefined
}
