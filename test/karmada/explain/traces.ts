import type { Propagated } from '../../../karmada/explain/propagated.js'
import { trace } from '../../../karmada/explain/trace.js'
import type { Resource } from '../../../karmada/interpreter/workload.js'
import type { Work } from '../../../karmada/objects/work.js'
import { deployment, propagated, SINCE } from './world.js'

/** What the trace stops at, without its texts. */
export const firstOf = (world: Propagated) => {
  const { first } = trace(world)
  return (
    first && {
      step: first.step,
      state: first.state,
      reason: first.reason,
      ...(first.cluster && { cluster: first.cluster }),
    }
  )
}
export const unclaimed = (): Propagated => ({ ...propagated(), template: deployment(), policies: [] })
export const withWork = (world: Propagated, cluster: string, change: (work: Work) => Work): Propagated => ({
  ...world,
  works: world.works.map(one => (one.metadata.namespace === `karmada-es-${cluster}` ? change(one) : one)),
})
export const notApplied =
  (message: string) =>
  (work: Work): Work => ({
    ...work,
    status: {
      conditions: [
        { type: 'Applied', status: 'False', reason: 'AppliedFailed', message, lastTransitionTime: SINCE },
      ],
    },
  })
export const inNorth = (object: (found: Resource) => Resource): Propagated => {
  const world = propagated()
  const found = world.members.get('north')
  if (found?.kind !== 'found') throw new Error('the world has no object in north')
  return {
    ...world,
    members: new Map([...world.members, ['north', { kind: 'found', object: object(found.object) }]]),
  }
}
