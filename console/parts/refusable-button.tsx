import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** A button that cannot be used by who may not, and says why. It can still be reached, so that the reason is read out. */
export function RefusableButton({
  refusal,
  onClick,
  children,
  ...props
}: ButtonProps & {
  /** Why it cannot be used; absent where it can. */
  readonly refusal: string | undefined
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  if (refusal === undefined)
    return (
      <Button {...props} onClick={onClick}>
        {children}
      </Button>
    )
  return (
    <Tooltip label={refusal} multiline maw={360}>
      <Button {...props} data-disabled aria-disabled aria-description={refusal}>
        {children}
      </Button>
    </Tooltip>
  )
}
