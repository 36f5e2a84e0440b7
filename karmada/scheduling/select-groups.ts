/** A group of clusters that can be chosen as a whole. */
export interface Group {
  readonly name: string
  /** How many clusters are in it; at least one. */
  readonly value: number
  readonly weight: number
}

/** Some groups in the order in which Karmada takes them, and what they are together. */
interface Choice {
  readonly group: Group
  readonly rest: Choice | undefined
  readonly weight: number
  readonly value: number
}

/** What a choice must have: `min` to `max` groups, which together have `target` clusters. */
interface Wanted {
  readonly min: number
  readonly max: number
  readonly target: number
}

/**
 * Chooses at least `min` and at most `max` groups that together have `target` clusters (`selectGroups` of Karmada): the
 * heaviest choice, and of choices that extend each other the shortest.
 *
 * Karmada lists all choices, of which 40 regions have more than a hundred billion. Here the best one is composed of the best ones
 * of fewer groups: the effort grows with groups × choosable groups × clusters.
 * @returns nothing when no choice has enough
 */
export function selectGroups(
  groups: readonly Group[],
  min: number,
  max: number,
  target: number,
): readonly Group[] {
  const wanted: Wanted = { min, max, target }
  if (isEnough(0, 0, wanted)) return []
  // Small groups first, so that what is found first needs most of them.
  const sorted = [...groups].sort((a, b) => a.value - b.value || heavier(a, b))
  const chosen: Group[] = []
  for (let one = heaviestChoice(sorted, wanted); one; one = one.rest) chosen.push(one.group)
  chosen.sort(heavier)
  for (let length = 1; length < chosen.length; length++) {
    const beginning = chosen.slice(0, length)
    if (isChoice(beginning, sorted, wanted)) return beginning
  }
  return chosen
}

/**
 * The heaviest choice; of equally heavy ones that with most clusters, and of those the one that Karmada finds first. A choice that
 * suffices is not extended.
 */
function heaviestChoice(sorted: readonly Group[], wanted: Wanted): Choice | undefined {
  const { max, target } = wanted
  const known = new Map<number, Choice | undefined>()
  /** The best of what can be added from a group on, to so many groups with so many clusters. */
  const best = (at: number, count: number, clusters: number): Choice | undefined => {
    const group = sorted[at]
    if (!group || count >= max) return undefined
    // More clusters than wanted are as good as enough.
    const key = (at * (sorted.length + 1) + count) * (target + 1) + clusters
    if (known.has(key)) return known.get(key)
    const after = Math.min(clusters + group.value, target)
    const taken = isEnough(count + 1, after, wanted)
      ? { group, rest: undefined, weight: group.weight, value: group.value }
      : extended(group, best(at + 1, count + 1, after))
    const found = better(taken, best(at + 1, count, clusters))
    known.set(key, found)
    return found
  }
  return best(0, 0, 0)
}

const extended = (group: Group, rest: Choice | undefined): Choice | undefined =>
  rest && { group, rest, weight: group.weight + rest.weight, value: group.value + rest.value }

/** The first of equals, as it is found first. */
function better(first: Choice | undefined, second: Choice | undefined): Choice | undefined {
  if (!first || !second) return first ?? second
  const difference = second.weight - first.weight || second.value - first.value
  return difference > 0 ? second : first
}

const isEnough = (count: number, clusters: number, { min, max, target }: Wanted): boolean =>
  clusters >= target && count >= min && count <= max

/** Whether Karmada finds these groups: they are enough, and without the last one that it takes they are not. */
function isChoice(groups: readonly Group[], sorted: readonly Group[], wanted: Wanted): boolean {
  const clusters = groups.reduce((sum, { value }) => sum + value, 0)
  if (!isEnough(groups.length, clusters, wanted)) return false
  const last = sorted.findLast(group => groups.includes(group))
  return !isEnough(groups.length - 1, clusters - (last?.value ?? 0), wanted)
}

const heavier = (a: Group, b: Group): number => b.weight - a.weight || (a.name < b.name ? -1 : 1)
