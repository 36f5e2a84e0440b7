import { Group } from '@mantine/core'
import { WholeBadge } from './whole-badge.js'

/** Labels, a piece for each. Nothing where there are none. */
export const Labels = ({ of }: { readonly of: Readonly<Record<string, string>> | undefined }) => (
  <Group gap={6}>
    {Object.entries(of ?? {}).map(([key, value]) => (
      <WholeBadge key={key} text={`${key}=${value}`} />
    ))}
  </Group>
)
