import { Alert, Anchor, Group, Stack, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { Fragment } from 'react'
import type { ClusterPlacement, Placement } from '../../proto/gen/kairship/placement_pb.js'
import { OthersWords, ServerWords } from '../failures/server-words.js'
import { TableHead } from '../tables/table-head.js'
import { usePlacementWords } from '../words/policies.js'
import { useWords } from '../words/use-words.js'

/** Refused clusters that are shown at once: an instance may have thousands. */
const REFUSED_SHOWN = 5

/** The clusters of a template with its replicas, and the reasons of the other clusters. */
export function PlacementTable({ placement }: { readonly placement: Placement }) {
  const words = usePlacementWords()
  const [isAll, { toggle }] = useDisclosure()
  const { clusters, failure, affinityName, tried } = placement
  const concerned = clusters.filter(({ before, after }) => before !== undefined || after !== undefined)
  const others = clusters.filter(one => !concerned.includes(one))
  const shown = isAll ? others : others.slice(0, REFUSED_SHOWN)
  return (
    <Stack gap="xs">
      {failure && (
        <Alert color="red" variant="outline" title={failure.reason}>
          <Text size="sm">
            <OthersWords text={failure.message} />
          </Text>
        </Alert>
      )}
      {affinityName && <Text size="sm">{words.group(affinityName)}</Text>}
      {tried.map(one => (
        <Text key={one.affinityName} size="sm" c="dimmed">
          {words.tried(one.affinityName)}
          {one.failure && <OthersWords text={one.failure.message} />}
        </Text>
      ))}
      {clusters.length > 0 && (
        <Table.ScrollContainer minWidth={320}>
          <Table verticalSpacing={4}>
            <TableHead titles={[words.cluster, words.replicas, words.why]} />
            <Table.Tbody>
              {[...concerned, ...shown].map(one => (
                <Row key={one.cluster} placed={one} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      {others.length > REFUSED_SHOWN && (
        <Anchor component="button" type="button" size="sm" onClick={toggle} style={{ alignSelf: 'start' }}>
          {isAll ? words.fewer : words.others(others.length - REFUSED_SHOWN)}
        </Anchor>
      )}
    </Stack>
  )
}

function Row({ placed }: { readonly placed: ClusterPlacement }) {
  const words = usePlacementWords()
  const { joint } = useWords()
  const { cluster, refusals, before, after, quotaLimit, candidate } = placed
  const room =
    after === undefined && refusals.length === 0 && candidate
      ? words.notChosen(candidate.available >= UNLIMITED ? '∞' : String(candidate.available))
      : ''
  return (
    <Table.Tr>
      <Table.Th scope="row" miw={120} style={{ verticalAlign: 'top' }}>
        {cluster}
      </Table.Th>
      <Table.Td style={{ verticalAlign: 'top', whiteSpace: 'nowrap' }}>
        <Replicas before={before} after={after} />
      </Table.Td>
      <Table.Td>
        <Text size="xs" style={{ overflowWrap: 'anywhere' }}>
          {refusals.map(({ filter, reason }, at) => (
            <Fragment key={`${filter} ${reason}`}>
              {at > 0 && joint.clauseMark}
              {filter === NOT_JOINED ? <ServerWords text={reason} /> : <span lang="en">{reason}</span>}
            </Fragment>
          ))}
          {refusals.length > 0 && quotaLimit && joint.clauseMark}
          {quotaLimit && <ServerWords text={quotaLimit} />}
          {room}
        </Text>
      </Table.Td>
    </Table.Tr>
  )
}

/** The filter of the only refusal that Kairship words itself. All other refusals are Karmada's. */
const NOT_JOINED = 'NotJoined'

/** The scheduler's value for unlimited replicas: the largest number of 32 bits. */
const UNLIMITED = 2 ** 31 - 1

/** Replicas before and after: `2 → 5`. */
function Replicas({
  before,
  after,
}: {
  readonly before: number | undefined
  readonly after: number | undefined
}) {
  const words = usePlacementWords()
  if (before === undefined && after === undefined) return <Text size="sm">–</Text>
  const text = (replicas: number | undefined, absent: string) =>
    replicas === undefined ? absent : replicas === 0 ? words.runs : String(replicas)
  if (before === after) return <Text size="sm">{text(after, '')}</Text>
  return (
    <Group gap={4} wrap="nowrap">
      <Text size="sm" c="dimmed">
        {text(before, words.none)}
      </Text>
      <Text size="sm">→</Text>
      <Text size="sm" fw={600} {...(after === undefined && { c: 'red' })}>
        {text(after, words.gone)}
      </Text>
    </Group>
  )
}
