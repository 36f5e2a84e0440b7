import { Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { Problem } from '../failures/problem.js'
import { useWords } from '../words/use-words.js'
import { Card } from './card.js'
import { issuerAddress, SIGNED_IN_PATH, takeProblem } from './session.js'
import { notifyOtherTabs } from './session-channel.js'

/** The last page of a sign-in in a popup: it notifies the page that began it and closes the popup. */
export function SignedIn() {
  const { session: words, problem: titles } = useWords()
  const [problem] = useState(takeProblem)
  useEffect(() => {
    if (problem) return
    notifyOtherTabs()
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
