/** What is tried in thought, as an address says it. */
export interface Thought {
  readonly clusters?: readonly string[]
  readonly key?: string
  readonly value?: string
  readonly effect?: Effect
  /** Only templates of it; absent: of all. */
  readonly namespace?: string
}

/** Those that Karmada accepts of a cluster. */
export const effects = ['NoExecute', 'NoSchedule'] as const
export type Effect = (typeof effects)[number]

/** The taint that is tried where nothing else is said. */
export const DEFAULT_KEY = 'kairship.io/rehearsal'

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Reads it from an address, which anyone may have typed. */
export function thoughtIn(search: Record<string, unknown>): Thought {
  const { clusters } = search
  const named = Array.isArray(clusters) ? clusters.filter(one => typeof one === 'string') : []
  const [key, value, namespace] = [textIn(search.key), textIn(search.value), textIn(search.namespace)]
  const effect = effects.find(one => one === search.effect)
  return {
    ...(named.length > 0 && { clusters: named }),
    ...(key && key !== DEFAULT_KEY && { key }),
    ...(value && { value }),
    ...(effect && effect !== 'NoExecute' && { effect }),
    ...(namespace && { namespace }),
  }
}
