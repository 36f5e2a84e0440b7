import { ActionIcon } from '@mantine/core'

/** Takes a row of a form away. It stands beside fields that have labels, and as high as they. */
export const RemoveRow = ({ label, remove }: { readonly label: string; readonly remove: () => void }) => (
  <ActionIcon variant="default" size={36} mt={25} aria-label={label} title={label} onClick={remove}>
    ×
  </ActionIcon>
)
