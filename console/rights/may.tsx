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

/** A button for an action. It is disabled with the reason where the caller may not do it. */
export function MayButton({
  wanted,
  otherRefusal,
  notYet,
  ...props
}: Omit<Props, 'wanted'> & {
  /** Absent where the right was checked elsewhere. */
  readonly wanted: Wanted | undefined
  readonly onClick: () => void
  /** Why the action is impossible now for everybody; shown instead of the caller's rights. */
  readonly otherRefusal?: string | undefined
  /** What the user must do first; shown to users who have the right. */
  readonly notYet?: string | undefined
}) {
  const refusal = useRefusal(otherRefusal === undefined ? wanted : undefined)
  return <RefusableButton {...props} refusal={otherRefusal ?? refusal ?? notYet} />
}

/** A link to the screen of an action. It is disabled with the reason where the caller may not do it. */
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

/** Says at the top of a form why the caller may not send it, before they fill it in. Renders nothing for callers with the right. */
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
