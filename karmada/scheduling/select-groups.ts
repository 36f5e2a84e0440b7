/** A group of clusters that can be chosen as a whole. */
export interface Group {
  readonly name: string
  /** How many clusters are in it. */
  readonly value: number
  readonly weight: number
}

interface Choice {
  /** The order in which it was found; breaks ties. */
  readonly id: number
  /** Heaviest first. */
  readonly groups: readonly Group[]
  readonly weight: number
  readonly value: number
}

/**
 * Chooses at least `min` and at most `max` groups that together have `target` clusters (`selectGroups` of Karmada): the
 * heaviest choice, and of choices that extend each other the shortest.
 * @returns nothing when no choice has enough
 */
export function selectGroups(
  groups: readonly Group[],
  min: number,
  max: number,
  target: number,
): readonly Group[] {
  const choices = feasibleChoices(groups, min, max, target).sort(
    (a, b) => b.weight - a.weight || b.value - a.value || a.id - b.id,
  )
  const [heaviest, ...others] = choices
  if (!heaviest) return []
  return others.reduce((chosen, other) => (isBeginningOf(other, chosen) ? other : chosen), heaviest).groups
}

/** Small groups first, so that what is found first needs most of them; a choice that suffices is not extended. */
function feasibleChoices(groups: readonly Group[], min: number, max: number, target: number): Choice[] {
  const sorted = [...groups].sort((a, b) => a.value - b.value || b.weight - a.weight || byName(a, b))
  const choices: Choice[] = []
  const chosen: Group[] = []
  const search = (value: number, from: number): void => {
    if (value >= target && chosen.length >= min && chosen.length <= max) {
      choices.push(choiceOf(chosen, choices.length + 1))
      return
    }
    if (chosen.length >= max) return
    for (let at = from; at < sorted.length; at++) {
      const group = sorted[at] as Group
      chosen.push(group)
      search(value + group.value, at + 1)
      chosen.pop()
      // All groups are needed: there is one choice only.
      if (sorted.length === min) break
    }
  }
  search(0, 0)
  return choices
}

const choiceOf = (groups: readonly Group[], id: number): Choice => ({
  id,
  groups: [...groups].sort((a, b) => b.weight - a.weight || byName(a, b)),
  weight: groups.reduce((sum, { weight }) => sum + weight, 0),
  value: groups.reduce((sum, { value }) => sum + value, 0),
})

const isBeginningOf = (part: Choice, whole: Choice): boolean =>
  part.groups.length < whole.groups.length &&
  part.groups.every((group, at) => whole.groups[at]?.name === group.name)

const byName = (a: Group, b: Group): number => (a.name < b.name ? -1 : 1)
