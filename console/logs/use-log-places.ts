import { useRef } from 'react'
import type { LogLine } from './log-lines.js'

/** The clusters and containers to choose from: those of all rows so far, and the chosen ones. They stay when the choice hides other rows. */
export function useLogPlaces(
  rows: readonly LogLine[],
  cluster: string | undefined,
  container: string | undefined,
) {
  const seen = useRef({ clusters: new Set<string>(), containers: new Set<string>(), upTo: -1 })
  const { clusters, containers } = seen.current
  // A new stream numbers its rows from 0.
  if ((rows.at(-1)?.id ?? -1) < seen.current.upTo) seen.current.upTo = -1
  for (const row of rows) {
    if (row.id <= seen.current.upTo) continue
    if (row.cluster) clusters.add(row.cluster)
    if (row.container) containers.add(row.container)
  }
  seen.current.upTo = rows.at(-1)?.id ?? -1
  if (cluster) clusters.add(cluster)
  if (container) containers.add(container)
  return { clusters: [...clusters].sort(), containers: [...containers].sort() }
}
