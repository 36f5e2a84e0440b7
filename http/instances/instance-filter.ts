import type { ShownInstance } from './instance-reading.js'

/** Chooses instances: the fields that List and Watch have in common. An empty one chooses all. */
export interface InstanceFilter {
  readonly name: string
  readonly needsAttention: boolean
}

/** Whether a filter chooses an instance. */
export const isChosen = (shown: ShownInstance, { name, needsAttention: isWanted }: InstanceFilter): boolean =>
  isNamed(shown, name) && (!isWanted || needsAttention(shown))

/** Whether the name or the alias of an instance contains a text. */
const isNamed = ({ name, instance }: ShownInstance, text: string): boolean =>
  name.includes(text) || (instance.spec.alias?.includes(text) ?? false)

/** Whether a condition of an instance is not True, or one of its member clusters is not ready. */
function needsAttention(shown: ShownInstance): boolean {
  const { status } = shown.instance
  const isKnown = shown.state !== undefined
  const conditions = (isKnown ? shown.conditions : status?.conditions) ?? []
  const clusters = ((isKnown ? shown.summary : undefined) ?? status?.summary)?.clusterSummary
  return (
    conditions.some(condition => condition.status !== 'True') ||
    (clusters !== undefined && clusters.readyNum < clusters.totalNum)
  )
}
