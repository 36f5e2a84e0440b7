import { Badge } from '@mantine/core'

/** A badge with its whole text, such as a label or a taint. A long text wraps; in a row of fixed height the cell's title has it. */
export const WholeBadge = ({ text }: { readonly text: string }) => (
  <Badge
    variant="default"
    tt="none"
    size="sm"
    maw="100%"
    h="auto"
    styles={{ label: { whiteSpace: 'inherit', overflowWrap: 'anywhere', overflow: 'visible' } }}
  >
    {text}
  </Badge>
)
