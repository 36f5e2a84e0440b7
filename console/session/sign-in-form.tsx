import { Button, Divider, PasswordInput, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { useWords } from '../words/use-words.js'
import { issuerAddress, issuerHere, type Session, SIGNED_IN_PATH, signIn } from './session.js'

/** The sign-in form: at the issuer, where there is one, or with a token. */
export function SignInForm({
  problem,
  done,
  inWindow,
}: {
  readonly problem: ReactNode
  readonly done: (session: Session) => void
  /** Given where the page must stay open: the issuer opens in a popup, and this is called. */
  readonly inWindow?: () => void
}) {
  const { session: words } = useWords()
  const [token, setToken] = useState('')
  const [refused, setRefused] = useState<Error>()
  const [busy, setBusy] = useState(false)
  const { data: issuer } = useQuery({
    queryKey: ['issuer'],
    queryFn: async ({ signal }) => (await issuerHere(signal)) ?? null,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    signIn({ token: token.trim() })
      .then(done, error => setRefused(error instanceof Error ? error : new Error(String(error))))
      .finally(() => setBusy(false))
  }
  return (
    <Stack component="form" onSubmit={submit}>
      {refused ? <Problem error={refused} /> : problem}
      {issuer && <AtIssuer issuer={issuer} {...(inWindow && { inWindow })} />}
      {issuer ? <Divider label={words.or} /> : <Text size="sm">{words.how}</Text>}
      <PasswordInput
        label={words.token}
        description={words.tokenHelp}
        value={token}
        onChange={event => setToken(event.currentTarget.value)}
        autoComplete="off"
        required
      />
      <Button
        type="submit"
        variant={issuer ? 'default' : 'filled'}
        loading={busy}
        disabled={token.trim() === ''}
      >
        {words.submit}
      </Button>
    </Stack>
  )
}

function AtIssuer({ issuer, inWindow }: { readonly issuer: string; readonly inWindow?: () => void }) {
  const { session: words } = useWords()
  const label = words.at(new URL(issuer).host)
  if (!inWindow)
    return (
      <Button component="a" href={issuerAddress(location.pathname + location.search)}>
        {label}
      </Button>
    )
  const address = issuerAddress(SIGNED_IN_PATH)
  return (
    <Button
      component="a"
      href={address}
      target="_blank"
      rel="noopener"
      onClick={event => {
        inWindow()
        // A popup opened by a script can close itself. If the browser blocks it, the link opens a tab.
        if (window.open(address, '_blank', 'popup,width=520,height=720')) event.preventDefault()
      }}
    >
      {label}
    </Button>
  )
}
