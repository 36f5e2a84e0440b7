import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { useWords } from '../words/use-words.js'
import { Card } from './card.js'
import { issuerAddress, SIGNED_IN_PATH, takeProblem } from './session.js'
import { tellOtherTabs } from './session-channel.js'

/** The end of a sign-in in a window of its own: the page that began it goes on, and the window closes. */
export function SignedIn() {
  const { session: words, problem: titles } = useWords()
  const [problem] = useState(takeProblem)
  useEffect(() => {
    if (problem) return
    tellOtherTabs()
    window.close()
  }, [problem])
  return (
    <Card title={problem ? titles.title : words.done}>
      {problem ? (
        <Problem error={problem} retry={() => location.assign(issuerAddress(SIGNED_IN_PATH))} />
      ) : (
        <Text size="sm">{words.close}</Text>
      )}
    </Card>
  )
}
