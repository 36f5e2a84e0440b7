import { Badge } from '@mantine/core'

/** A label, a taint or the like, whole: a long one takes more lines. In a row of fixed height the cell's title has what is cut. */
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
