import {
  type Customization,
  RULES,
  type RuleName,
  scriptsByKind,
} from '../../karmada/interpreter/customized/customization.js'
import { CustomizedInterpreter } from '../../karmada/interpreter/customized/customized-interpreter.js'
import type { Answer } from '../../karmada/interpreter/resource-interpreter.js'
import type { Resource } from '../../karmada/interpreter/workload.js'
import { ScriptError } from '../../karmada/lua/run.js'
import type { MemberStatus } from '../../karmada/objects/member-status.js'
import { comparable } from './comparable.js'

/** A question to the interpreter that customizations make. */
export interface CustomizedScenario {
  readonly customizations: readonly Customization[]
  readonly method: (typeof METHODS)[number]
  readonly object: Resource
  readonly observed?: Resource
  readonly replicas?: number
  readonly items?: readonly MemberStatus[]
}

export const METHODS = [
  ...(['replicas', 'components', 'revise', 'retain'] as const),
  ...(['aggregate', 'dependencies', 'status', 'health'] as const),
]

/** The rule that answers a method. */
export const RULE_OF: Readonly<Record<(typeof METHODS)[number], RuleName>> = {
  replicas: 'replicaResource',
  components: 'componentResource',
  revise: 'replicaRevision',
  retain: 'retention',
  aggregate: 'statusAggregation',
  dependencies: 'dependencyInterpretation',
  status: 'statusReflection',
  health: 'healthInterpretation',
}

/** An answer, as `test/real/karmada-oracle` gives it. */
export interface CustomizedAnswer {
  readonly problem?: string
  readonly enabled?: boolean
  readonly result?: unknown
}

/** A customization of one kind with some rules. */
export const customizationOf = (
  target: { readonly apiVersion: string; readonly kind: string },
  scripts: Partial<Readonly<Record<RuleName, string>>>,
  name = 'rules',
): Customization => ({
  apiVersion: 'config.karmada.io/v1alpha1',
  kind: 'ResourceInterpreterCustomization',
  metadata: { name },
  spec: {
    target: { apiVersion: target.apiVersion, kind: target.kind },
    customizations: Object.fromEntries(
      (Object.keys(RULES) as RuleName[]).flatMap(rule => {
        const luaScript = scripts[rule]
        return luaScript === undefined ? [] : [[rule, { luaScript }]]
      }),
    ),
  },
})

/** Our answer. */
export function customized(scenario: CustomizedScenario): CustomizedAnswer {
  const { customizations } = scenario
  const scripts = scriptsByKind(customizations)
  const interpreter = new CustomizedInterpreter(
    () => scripts,
    () => 0,
  )
  try {
    const answer = asked(interpreter, scenario)
    return answer ? { enabled: true, result: answer.value } : { enabled: false }
  } catch (error) {
    if (error instanceof ScriptError) return { problem: error.message }
    throw error
  }
}

function asked(
  interpreter: CustomizedInterpreter,
  { method, object, observed = object, replicas = 0, items = [] }: CustomizedScenario,
): Answer<unknown> | undefined {
  switch (method) {
    case 'replicas':
    case 'components':
    case 'dependencies':
    case 'health':
      return interpreter[method](object)
    case 'status':
      return interpreter.reflect(object)
    case 'revise':
      return interpreter.revise(object, replicas)
    case 'retain':
      return interpreter.retain(object, observed)
    case 'aggregate':
      return interpreter.aggregate(object, items)
  }
}

const TYPED = ['replicas', 'components', 'dependencies']
/** Go says more of what it cannot read into its types. */
const READ_BY_GO = [
  'json unmarshal obj failed',
  'failed to convert lua table for components',
  'dependencies[',
  '[dependencies[',
]

/** An answer in one line: without the trace of the stack, addresses of tables, and what Go adds to its types. */
export function customizedOutcome({ method }: CustomizedScenario, answer: CustomizedAnswer): string {
  const { problem, enabled, result } = answer
  // Values that do not fit into a format are printed as Go has them in memory.
  if (/%!|&\{/.test(JSON.stringify(answer))) return 'not formatted'
  if (problem !== undefined) {
    const said = problem.split('\nstack traceback')[0] ?? ''
    const prefix = READ_BY_GO.find(one => said.startsWith(one))
    return JSON.stringify({
      problem: (prefix ? 'the result is none' : said).replaceAll(/0x[0-9a-f]+/g, '0x0'),
    })
  }
  const made = TYPED.includes(method) ? comparable(result) : sorted(result)
  return JSON.stringify({ enabled, result: made }).replaceAll(/0x[0-9a-f]{8,}|0x0/g, '0x0')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, part]) => [key, sorted(part)]))
}

/** Karmada's answer in the form of ours: of an aggregation we make the status alone, and no components are an empty list. */
export function asOurs({ method }: CustomizedScenario, answer: CustomizedAnswer): CustomizedAnswer {
  if (method === 'components' && answer.result === null) return { ...answer, result: [] }
  if (method !== 'aggregate' || answer.result === undefined) return answer
  return { ...answer, result: (answer.result as { status?: unknown }).status }
}
