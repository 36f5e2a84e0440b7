import { Alert, Button, type ButtonProps, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWords } from '../words/use-words.js'
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
  notYet,
  ...props
}: Omit<Props, 'wanted'> & {
  /** Absent where the caller's right was asked for before. */
  readonly wanted: Wanted | undefined
  readonly onClick: () => void
  /** Why nobody can do it now, which is said in place of the caller's rights. */
  readonly otherRefusal?: string | undefined
  /** What is to be done first, which is said to those who may. */
  readonly notYet?: string | undefined
}) {
  const refusal = useRefusal(otherRefusal === undefined ? wanted : undefined)
  return <RefusableButton {...props} refusal={otherRefusal ?? refusal ?? notYet} />
}

/** A link to the screen where something is done, which says why where the caller may not do that. */
export function MayLink({
  wanted,
  to,
  params = {},
  ...props
}: Props & { readonly to: string; readonly params?: object }) {
  const refusal = useRefusal(wanted)
  if (refusal !== undefined) return <RefusableButton {...props} refusal={refusal} />
  return <Button component={Link} to={to} params={params as never} {...props} />
}

/** Says at the top of a form that its reader may not send it, and why: before they fill it in. Nothing for those who may. */
export function RefusalNotice({ wanted }: { readonly wanted: Wanted | undefined }) {
  const { may } = useWords()
  const refusal = useRefusal(wanted)
  if (refusal === undefined) return null
  return (
    <Alert color="gray" variant="outline" role="status" title={may.notHere}>
      <Text size="sm">{refusal}</Text>
    </Alert>
  )
}
