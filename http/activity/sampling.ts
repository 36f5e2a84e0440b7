import type { Fleet } from '../../ports/fleet.js'
import type { Activity, ActivitySample } from './activity.js'

/** How often it is noted how instances stand, milliseconds. */
const SAMPLE_MS = 10_000

/** Notes from time to time how all instances stand. @returns ends it */
export function sampleActivity(
  activity: Pick<Activity, 'sample'>,
  fleet: Pick<Fleet, 'list' | 'index'>,
): () => void {
  const sample = () =>
    activity.sample(fleet.list().map(view => [view.name, sampleOf(view, fleet.index(view.name)?.freshness)]))
  sample()
  const timer = setInterval(sample, SAMPLE_MS).unref()
  return () => clearInterval(timer)
}

function sampleOf(
  { instance }: ReturnType<Fleet['list']>[number],
  freshness: NonNullable<ReturnType<Fleet['index']>>['freshness'] | undefined,
): ActivitySample {
  const { allocatable = {}, allocated = {} } = instance.status?.summary?.resourceSummary ?? {}
  return {
    ...(freshness && 'lagMs' in freshness && { lagMs: freshness.lagMs }),
    allocatable: { ...allocatable },
    allocated: { ...allocated },
  }
}
