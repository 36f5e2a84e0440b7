import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  type ClusterPlacement,
  ExplainPlacementResponseSchema,
  type Placement,
  PlacementService,
} from '../../proto/gen/kairship/placement_pb.js'
import { objectArgument } from '../arguments/object-argument.js'
import type { ClientContext } from '../client/client.js'
import { ExitCode } from '../exit-code.js'
import { columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'

/** `kairship explain INSTANCE TYPE NAMESPACE/NAME`: for each cluster why a template runs there or does not. */
export async function explainPlacement(
  { client, out }: ClientContext,
  config: Config,
  [instance = '', type = '', object = '']: readonly string[],
): Promise<ExitCode> {
  const wanted = objectArgument(type, object, config.inNamespace)
  const raw = await jsonClient(PlacementService, client).explainPlacement({ instance, ...wanted })
  const { placement } = fromJson(ExplainPlacementResponseSchema, raw, {
    ignoreUnknownFields: true,
  })
  out(printedAnswer(raw, config.output) ?? (placement ? placementText(placement) : ''))
  return ExitCode.ok
}

/** A placement as a table of clusters, with what was decided above it. */
export function placementText({ affinityName, failure, clusters, tried, assumptions }: Placement): string {
  const lines = [
    ...tried.map(one => `Affinity group ${one.affinityName}: ${one.failure?.message ?? 'not taken'}\n`),
    ...(affinityName && !failure ? [`Affinity group ${affinityName} was taken.\n`] : []),
    ...(failure ? [`${failure.reason}: ${failure.message}\n`] : []),
  ]
  const header = ['CLUSTER', 'NOW', 'WANTED', 'SCORE', 'ROOM', 'WHY']
  const notes = assumptions.map(one => `Note: ${one}\n`)
  return [...lines, columns(header, clusters.map(clusterRow)).text, ...notes].join('')
}

const clusterRow = (one: ClusterPlacement): readonly string[] => [
  one.cluster,
  one.before === undefined ? '-' : String(one.before),
  one.after === undefined ? '-' : String(one.after),
  one.candidate ? String(one.candidate.score) : '-',
  one.candidate ? roomText(one.candidate.available) : '-',
  why(one),
]

/** The largest 32-bit number stands for what nothing limits. */
const roomText = (replicas: number): string => (replicas === 2 ** 31 - 1 ? 'any' : String(replicas))

const why = ({ quotaLimit, ...one }: ClusterPlacement): string =>
  quotaLimit ? `${outcomeOf(one)}; ${quotaLimit}` : outcomeOf(one)

function outcomeOf({
  refusals,
  selected,
  after,
}: Pick<ClusterPlacement, 'refusals' | 'selected' | 'after'>): string {
  if (refusals.length > 0) return refusals.map(({ filter, reason }) => `${filter}: ${reason}`).join('; ')
  if (after !== undefined) return 'chosen'
  return selected ? 'fits, but gets no replicas' : 'fits, but the placement takes others'
}
