import type { ReactNode } from 'react'
import { useWords } from '../words/use-words.js'
import { Card } from './card.js'
import type { Session } from './session.js'
import { SignInForm } from './sign-in-form.js'

/** The sign-in page. */
export function SignIn(props: { readonly problem: ReactNode; readonly done: (session: Session) => void }) {
  const { session: words } = useWords()
  return (
    <Card title={words.title}>
      <SignInForm {...props} />
    </Card>
  )
}
