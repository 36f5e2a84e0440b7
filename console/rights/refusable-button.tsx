import { Button, type ButtonProps, Loader, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/**
 * A button that stays focusable while it cannot be pressed: disabled with a reason, so that screen readers read the reason, or waiting for an answer, so
 * that the keyboard goes on where it was.
 */
export function RefusableButton({
  refusal,
  onClick,
  type = 'button',
  children,
  disabled,
  loading,
  ...props
}: ButtonProps & {
  /** The reason; absent where the button is enabled. */
  readonly refusal: string | undefined
  /** Absent for a button that submits its form. */
  readonly onClick?: (() => void) | undefined
  readonly type?: 'button' | 'submit'
  readonly children: ReactNode
  readonly 'aria-label'?: string
}) {
  // `disabled`, which Mantine also sets for `loading`, would take the focus. Without a submit button, Enter does not send the form.
  const unpressable = { type: 'button', 'data-disabled': true, 'aria-disabled': true } as const
  const use =
    refusal !== undefined
      ? { ...unpressable, 'aria-description': refusal }
      : loading
        ? { ...unpressable, 'aria-busy': true, leftSection: <Loader size="1em" color="gray" /> }
        : { type, disabled: disabled ?? false, onClick }
  // The same element in all cases, so that it keeps the focus.
  return (
    <Tooltip label={refusal} multiline maw={360} disabled={refusal === undefined}>
      <Button {...props} {...use}>
        {children}
      </Button>
    </Tooltip>
  )
}
