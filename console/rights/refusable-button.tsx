import { Button, type ButtonProps, Tooltip } from '@mantine/core'
import type { ReactNode } from 'react'

/** A button that is disabled with a reason. It stays focusable then, so that screen readers read the reason. */
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
  // `disabled` would make the button unfocusable. Without a submit button, Enter does not send the form.
  const use =
    refusal === undefined
      ? { type, disabled: disabled ?? false, loading: loading ?? false, onClick }
      : { type: 'button' as const, 'data-disabled': true, 'aria-disabled': true, 'aria-description': refusal }
  // The same element in both cases, so that it keeps the focus.
  return (
    <Tooltip label={refusal} multiline maw={360} disabled={refusal === undefined}>
      <Button {...props} {...use}>
        {children}
      </Button>
    </Tooltip>
  )
}
