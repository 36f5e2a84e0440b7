import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** A button that says why where it cannot be used. It can still be reached then, so that the reason is read out. */
export function RefusableButton({
  refusal,
  onClick,
  type = 'button',
  children,
  disabled,
  loading,
  ...props
}: ButtonProps & {
  /** Why it cannot be used; absent where it can. */
  readonly refusal: string | undefined
  /** Absent of one that submits its form. */
  readonly onClick?: (() => void) | undefined
  readonly type?: 'button' | 'submit'
  readonly children: ReactNode
  readonly 'aria-label'?: string
}) {
  // Not `disabled`: it could not be reached, and its reason not be read out. One that submits nothing keeps the form from being sent by Enter.
  const use =
    refusal === undefined
      ? { type, disabled: disabled ?? false, loading: loading ?? false, onClick }
      : { type: 'button' as const, 'data-disabled': true, 'aria-disabled': true, 'aria-description': refusal }
  // The same button with and without a reason, so that it keeps the focus.
  return (
    <Tooltip label={refusal} multiline maw={360} disabled={refusal === undefined}>
      <Button {...props} {...use}>
        {children}
      </Button>
    </Tooltip>
  )
}
