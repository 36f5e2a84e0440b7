import { ActionIcon } from '@mantine/core'

/** A button that removes a row of a form. It aligns with fields that have labels. */
export const RemoveRow = ({ label, remove }: { readonly label: string; readonly remove: () => void }) => (
  <ActionIcon variant="default" size={36} mt={25} aria-label={label} title={label} onClick={remove}>
    ×
  </ActionIcon>
)
