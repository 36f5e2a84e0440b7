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

/** A link of a trace with its place in the graph, counted from 0. */
export interface PlacedLink {
  readonly link: TraceLink
  readonly column: number
  readonly row: number
  /** Rows that it takes: steps of the control plane stand beside all clusters, so that a tall one moves none of these away. */
  readonly rows: number
  /** Where the line comes from: the column before, the trunk that leads from there to each member, or nothing. */
  readonly from: 'before' | 'trunk' | 'nothing'
  /** The trunk goes on to the next row. */
  readonly goesOn: boolean
}

/**
 * Places the links of a trace: a column for each step, and a row for each member cluster, in the order of the links. The Work of a cluster and its
 * object stand in one row; the steps of the control plane begin in the first.
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
      goesOn: isWork && link.cluster !== lastWork,
    }
  })
}
