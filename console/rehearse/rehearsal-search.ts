/** The search parameters of a rehearsal. */
export interface Rehearsal {
  readonly clusters?: readonly string[]
  readonly key?: string
  readonly value?: string
  readonly effect?: Effect
  /** Only templates of this namespace; absent: of all. */
  readonly namespace?: string
}

/** The effects of taints that Karmada accepts. */
export const effects = ['NoExecute', 'NoSchedule'] as const
export type Effect = (typeof effects)[number]

/** The key of the taint where the address names none. */
export const DEFAULT_KEY = 'kairship.io/rehearsal'

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Reads search parameters of an address, which anybody may have typed. */
export function rehearsalSearch(search: Record<string, unknown>): Rehearsal {
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
