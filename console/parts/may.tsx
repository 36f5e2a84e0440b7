import { Button, type ButtonProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { RefusableButton } from './refusable-button.js'
import { useRefusal, type Wanted } from './refusal.js'

type Props = ButtonProps & {
  readonly wanted: Wanted
  readonly children: ReactNode
  readonly 'aria-label'?: string
}

/** A button for what is wanted, which says why where the caller may not. */
export function MayButton({
  wanted,
  otherRefusal,
  ...props
}: Props & {
  readonly onClick: () => void
  /** Why nobody can do it now, which is said in place of the caller's rights. */
  readonly otherRefusal?: string | undefined
}) {
  const refusal = useRefusal(otherRefusal === undefined ? wanted : undefined)
  return <RefusableButton {...props} refusal={otherRefusal ?? refusal} />
}

/** A link to the screen where something is done, which says why where the caller may not do that. */
export function MayLink({
  wanted,
  to,
  params = {},
  ...props
}: Props & { readonly to: string; readonly params?: object }) {
  const refusal = useRefusal(wanted)
  if (refusal !== undefined) return <RefusableButton {...props} refusal={refusal} onClick={() => undefined} />
  return <Button component={Link} to={to} params={params as never} {...props} />
}
