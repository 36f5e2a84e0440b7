import { Anchor, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import { summaryAsOf } from '../live/as-of.js'
import { AsOf } from '../parts/as-of.js'
import { StateBadge } from '../parts/state-badge.js'
import { Ago } from '../parts/time.js'
import { SCROLLABLE } from '../tables/scrollable.js'
import type { Sort } from '../tables/sort.js'
import { TableHead } from '../tables/table-head.js'
import { useWords } from '../words/use-words.js'
import { Attention } from './attention.js'
import { attentionOf } from './attention-of.js'
import { Capacity } from './capacity.js'
import { versionsOf } from './versions.js'

/** A row for each instance. */
export function FleetTable({
  items,
  sort,
  changeSort,
}: {
  readonly items: readonly Instance[]
  readonly sort: Sort | undefined
  readonly changeSort: (sort: Sort | undefined) => void
}) {
  const { fleet } = useWords()
  const { columns } = fleet
  return (
    <Table.ScrollContainer minWidth={900} scrollAreaProps={SCROLLABLE}>
      <Table highlightOnHover verticalSpacing="sm">
        <TableHead
          sorting={{
            sort,
            keys: { [columns.name]: 'name', [columns.state]: 'state' },
            change: changeSort,
          }}
          titles={[
            columns.name,
            columns.state,
            columns.attention,
            columns.clusters,
            columns.nodes,
            columns.cpu,
            columns.memory,
            columns.versions,
            columns.since,
          ]}
        />
        <Table.Tbody>
          {items.map(instance => (
            <Row key={instance.metadata?.name} instance={instance} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Row({ instance }: { readonly instance: Instance }) {
  const { fleet } = useWords()
  const { metadata, spec, status } = instance
  const name = metadata?.name ?? ''
  const { clusterSummary: clusters, nodeSummary: nodes } = status?.summary ?? {}
  const counted = (of?: { readonly readyNum: number; readonly totalNum: number }) =>
    of ? fleet.ready(of.readyNum, of.totalNum) : '–'
  return (
    <Table.Tr>
      <Table.Th scope="row">
        <Anchor component={Link} to="/instances/$name" params={{ name } as never} size="sm">
          {name}
        </Anchor>
        <Text size="xs" c="dimmed">
          {spec?.alias}
        </Text>
      </Table.Th>
      <Table.Td>
        <StateBadge state={status?.state ?? 0} />
      </Table.Td>
      <Table.Td maw={320}>
        <Text size="sm" lineClamp={2}>
          {attentionOf(instance) ? <Attention instance={instance} /> : fleet.nothing}
        </Text>
      </Table.Td>
      <Table.Td>{counted(clusters)}</Table.Td>
      <Table.Td>
        {counted(nodes)}
        <AsOf time={summaryAsOf(instance)} />
      </Table.Td>
      <Table.Td>
        <Capacity instance={instance} resource="cpu" />
      </Table.Td>
      <Table.Td>
        <Capacity instance={instance} resource="memory" />
      </Table.Td>
      <Table.Td>{versionsOf(instance)}</Table.Td>
      <Table.Td>{status?.since && <Ago time={status.since} />}</Table.Td>
    </Table.Tr>
  )
}
