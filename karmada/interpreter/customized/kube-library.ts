import {
  formatQuantity,
  parseQuantity,
  type Quantity,
  QuantityError,
  ZERO,
} from '../../../manifests/quantity.js'
import type { Arguments, Body } from '../../lua/library/arguments.js'
import type { LuaState } from '../../lua/state.js'
import { LuaError, textOf, typeName } from '../../lua/value.js'
import { podDependencies } from '../dependencies.js'
import { requirementsOf } from '../replicas.js'
import type { PodSpec } from '../workload.js'
import { withEmptyFields } from './empty-fields.js'
import { type Json, jsonOf, luaOf } from './lua-json.js'
import { quantityProblem } from './results.js'

/** `require("kube")`: what Karmada gives to scripts. */
export const kubeFunctions = (state: LuaState): Readonly<Record<string, Body>> => ({
  resourceAdd: args => {
    const sum = args.values
      .map((_, at) => quantityAt(args, at + 1))
      .reduce(
        (total, one) => ({
          nano: total.nano + one.nano,
          // A sum keeps the form of its first part that is not zero.
          format: total.nano === 0n ? one.format : total.format,
        }),
        ZERO,
      )
    return [formatQuantity(sum)]
  },
  accuratePodRequirements: args => {
    if (args.count !== 1) throw state.error('getPodRequirements only accepts one argument')
    return [luaOf(requirementsOf(podSpecAt(args)))]
  },
  getPodDependencies: args => {
    if (args.count !== 2) throw state.error('getPodDependencies only accepts two argument')
    const pod = podSpecAt(args)
    const needed = podDependencies(pod, namespaceAt(args))
    // A list that was never filled is nil.
    return [needed.length > 0 ? luaOf(needed) : undefined]
  },
  getResourceQuantity: args => {
    if (args.count !== 1) throw state.error('getResourceQuantity only accepts one argument')
    const { nano } = quantityAt(args, 1)
    if (nano < 0n) throw state.error('int approximation unexpectedly returned a negative value')
    return [Number(nano) / 1e9]
  },
})

function quantityAt(args: Arguments, position: number): Quantity {
  const value = args.at(position)
  if (value === undefined) return ZERO
  if (typeof value !== 'string') throw args.wrong(position, `string expected, got ${typeName(value)}`)
  try {
    return parseQuantity(value)
  } catch (error) {
    if (error instanceof QuantityError)
      throw new LuaError(`cannot parse '${value}': ${quantityProblem(value)}`)
    throw error
  }
}

/** The `spec` of a pod template. */
function podSpecAt(args: Arguments): PodSpec {
  const template = withEmptyFields(jsonOf(args.table(1)), [], true) as { readonly [key: string]: Json }
  return (template.spec ?? {}) as unknown as PodSpec
}

function namespaceAt(args: Arguments): string {
  const value = args.at(2)
  if (value === undefined) return 'default'
  if (typeof value === 'string' || typeof value === 'number') return textOf(value)
  throw args.wrong(2, `string expected, got ${typeName(value)}`)
}
