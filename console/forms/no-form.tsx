import { Alert, Text } from '@mantine/core'
import { useFormWords } from '../words/forms.js'
import { useManifestWords } from '../words/manifest.js'
import type { FormProblem } from './shape.js'

/** Says why a text has no form. Its YAML can be edited. */
export function NoForm({ problem }: { readonly problem: FormProblem }) {
  const words = useFormWords()
  const said = useManifestWords()
  return (
    <Alert color="orange" variant="outline" title={words.noForm}>
      <Text size="sm">{reasonOf(problem, words.problems, said)}</Text>
      <Text size="sm">{words.toYaml}</Text>
    </Alert>
  )
}

function reasonOf(
  problem: FormProblem,
  words: ReturnType<typeof useFormWords>['problems'],
  said: ReturnType<typeof useManifestWords>,
): string {
  switch (problem.is) {
    case 'empty':
    case 'several':
      return words[problem.is]
    case 'long':
      return words.long(problem.most)
    case 'otherKind':
      return words.otherKind(problem.kind)
    case 'aliases':
      return words.aliases(problem.name)
    case 'noList':
    case 'noMapping':
    case 'otherKeys':
      return words[problem.is](problem.path)
    case 'unread':
      return words.unread(problem.line, said(problem.problem))
  }
}
