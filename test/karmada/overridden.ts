import { parse } from 'yaml'
import { type AppliedOverride, applyOverrides } from '../../karmada/overrides/apply-overrides.js'
import { OverrideError } from '../../karmada/overrides/json-edit.js'
import type { OverrideScenario } from './override-scenarios.js'

/** An answer to an override scenario, as `test/real/karmada-oracle` gives it. */
export interface OverrideAnswer {
  readonly problem?: string
  readonly object?: unknown
  readonly clusterOverrides?: readonly AppliedOverride[] | null
  readonly overrides?: readonly AppliedOverride[] | null
}

/** Our answer. */
export function overridden({ object, cluster, clusterPolicies, policies }: OverrideScenario): OverrideAnswer {
  try {
    return applyOverrides(object, cluster, { clusterWide: clusterPolicies, namespaced: policies })
  } catch (error) {
    if (error instanceof OverrideError) return { problem: error.message }
    throw error
  }
}

/** An answer in one line. Who refuses says it in other words; documents in strings are compared as documents. */
export function overrideOutcome({ problem, object, clusterOverrides, overrides }: OverrideAnswer): string {
  if (problem) return 'refused'
  const names = (applied: readonly AppliedOverride[] | null | undefined) =>
    (applied ?? []).map(({ policyName }) => policyName)
  const made = { object, clusterOverrides: names(clusterOverrides), overrides: names(overrides) }
  return JSON.stringify(sortedKeys(JSON.parse(JSON.stringify(made), (_, part) => documentIn(part))))
}

function documentIn(part: unknown): unknown {
  if (typeof part !== 'string') return part
  try {
    return parse(part) as unknown
  } catch {
    return part
  }
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, part]) => [key, sortedKeys(part)]))
}
