import { TraceLink_Step as Step, type TraceLink } from '../../proto/gen/kairship/placement_pb.js'

/** The steps of a trace, in the order of its columns. */
export const steps = [
  { step: Step.TEMPLATE, word: 'template' },
  { step: Step.POLICY, word: 'policy' },
  { step: Step.BINDING, word: 'binding' },
  { step: Step.SCHEDULING, word: 'scheduling' },
  { step: Step.WORK, word: 'work' },
  { step: Step.MEMBER, word: 'member' },
] as const

/** A link of a trace and its place in the graph, counted from 0. */
export interface PlacedLink {
  readonly link: TraceLink
  readonly column: number
  readonly row: number
  /** The rows that it spans. Steps of the control plane span all clusters' rows, so that a tall one does not move these. */
  readonly rows: number
  /** The start of its line: the previous column, the trunk from there to each member, or nothing. */
  readonly from: 'before' | 'trunk' | 'nothing'
  /** The trunk continues to the next row. */
  readonly trunkContinues: boolean
}

/**
 * Places the links of a trace: a column for each step, and a row for each member cluster, in the order of the links. The Work of a cluster and its
 * object share a row; the steps of the control plane start in the first.
 */
export function placedLinks(links: readonly TraceLink[]): readonly PlacedLink[] {
  const clusters = [...new Set(links.map(({ cluster }) => cluster).filter(Boolean))]
  const works = links.filter(({ step }) => step === Step.WORK)
  const lastWork = works.at(-1)?.cluster
  return links.map(link => {
    const column = steps.findIndex(({ step }) => step === link.step)
    const row = Math.max(0, clusters.indexOf(link.cluster))
    const isWork = link.step === Step.WORK
    const hasBefore =
      isWork || link.step !== Step.MEMBER || works.some(({ cluster }) => cluster === link.cluster)
    return {
      ...{ link, column, row, rows: link.cluster ? 1 : Math.max(1, clusters.length) },
      from: column === 0 || !hasBefore ? 'nothing' : isWork && row > 0 ? 'trunk' : 'before',
      trunkContinues: isWork && link.cluster !== lastWork,
    }
  })
}
