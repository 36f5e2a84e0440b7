import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** A button that cannot be used by who may not, and says why. It can still be reached, so that the reason is read out. */
export function RefusableButton({
  refusal,
  onClick,
  children,
  disabled,
  loading,
  ...props
}: ButtonProps & {
  /** Why it cannot be used; absent where it can. */
  readonly refusal: string | undefined
  readonly onClick: () => void
  readonly children: ReactNode
}) {
  if (refusal === undefined)
    return (
      <Button {...props} disabled={disabled ?? false} loading={loading ?? false} onClick={onClick}>
        {children}
      </Button>
    )
  // Not `disabled`: it could not be reached, and its reason not be read out.
  return (
    <Tooltip label={refusal} multiline maw={360}>
      <Button {...props} data-disabled aria-disabled aria-description={refusal}>
        {children}
      </Button>
    </Tooltip>
  )
}
