import { Badge, Group } from '@mantine/core'

/** Labels, a piece for each. Nothing where there are none. */
export const Labels = ({ of }: { readonly of: Readonly<Record<string, string>> | undefined }) => (
  <Group gap={6}>
    {Object.entries(of ?? {}).map(([key, value]) => (
      <Badge key={key} variant="default" tt="none" maw={420}>
        {key}={value}
      </Badge>
    ))}
  </Group>
)
