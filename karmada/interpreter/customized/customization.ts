import type { KubeObject } from '../../../manifests/kube.js'

/** The rules of a customization, by their names in its spec; in Karmada's order, with the names of Karmada's messages. */
export const RULES = {
  retention: 'Retain',
  replicaResource: 'InterpretReplica',
  componentResource: 'InterpretComponent',
  replicaRevision: 'ReviseReplica',
  statusReflection: 'InterpretStatus',
  statusAggregation: 'AggregateStatus',
  healthInterpretation: 'InterpretHealth',
  dependencyInterpretation: 'InterpretDependency',
} as const

export type RuleName = keyof typeof RULES
export type Operation = (typeof RULES)[RuleName]

/** Resource types of customizations. */
export const CUSTOMIZATIONS = {
  group: 'config.karmada.io',
  version: 'v1alpha1',
  resource: 'resourceinterpretercustomizations',
} as const

/** config.karmada.io ResourceInterpreterCustomization: Lua scripts that interpret the objects of one kind. */
export interface Customization extends KubeObject {
  readonly spec: {
    readonly target: { readonly apiVersion: string; readonly kind: string }
    readonly customizations: { readonly [rule in RuleName]?: { readonly luaScript?: string } }
  }
}

/** The script of a rule; the empty string where there is none. */
export const scriptOf = ({ spec }: Customization, rule: RuleName): string =>
  spec.customizations[rule]?.luaScript ?? ''

/** The scripts for a kind, by operation. Only for dependencies there may be several. */
export type Scripts = ReadonlyMap<Operation, readonly string[]>

/** The scripts of all customizations, by `apiVersion kind`. Of two for the same operation the first by name counts. */
export function scriptsByKind(customizations: readonly Customization[]): ReadonlyMap<string, Scripts> {
  const byKind = new Map<string, Map<Operation, string[]>>()
  const sorted = [...customizations].sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
  for (const customization of sorted) {
    const { apiVersion, kind } = customization.spec.target
    const key = `${apiVersion} ${kind}`
    const scripts = byKind.get(key) ?? new Map<Operation, string[]>()
    byKind.set(key, scripts)
    for (const [rule, operation] of Object.entries(RULES) as [RuleName, Operation][]) {
      const script = scriptOf(customization, rule)
      if (script === '') continue
      const present = scripts.get(operation)
      if (!present) scripts.set(operation, [script])
      else if (operation === 'InterpretDependency') present.push(script)
    }
  }
  return byKind
}
