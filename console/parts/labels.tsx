import { Group } from '@mantine/core'
import { WholeBadge } from './whole-badge.js'

/** A badge for each label. */
export const Labels = ({ of }: { readonly of: Readonly<Record<string, string>> | undefined }) => (
  <Group gap={6}>
    {Object.entries(of ?? {}).map(([key, value]) => (
      <WholeBadge key={key} text={`${key}=${value}`} />
    ))}
  </Group>
)
