import { Alert, Button, Stack, Text } from '@mantine/core'
import { FailureWords } from '../failures/failure-words.js'
import { KubeError, UnknownOutcome } from '../kube/kube-error.js'
import { useEditorWords } from '../words/editor.js'
import { useManifestWords } from '../words/manifest.js'
import { useWords } from '../words/use-words.js'
import type { EditProps } from './edit-props.js'
import { ManifestError } from './manifest-problem.js'

/** The messages of an edit: a conflict, a failure, what was stored, and what to do. */
export function EditNotes({ edit, send }: EditProps) {
  const words = useEditorWords()
  const said = useManifestWords()
  const { joint } = useWords()
  return (
    <>
      {edit.stored.length > 0 && (
        <Text size="sm" role="status">
          {words.stored(joint.names(edit.stored))}
        </Text>
      )}
      {edit.step === 'conflicted' && (
        <Alert color="orange" variant="outline" role="alert" title={words.conflict}>
          <Text size="sm">{words.conflictHow}</Text>
        </Alert>
      )}
      {edit.step === 'editing' && edit.problem && (
        <Alert
          color="red"
          variant="outline"
          role="alert"
          title={edit.isGone ? words.gone : titleOf(edit.problem, words)}
        >
          <Stack gap="xs" align="flex-start">
            {edit.problem instanceof ManifestError ? (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                {said(edit.problem.problem)}
              </Text>
            ) : (
              <FailureWords error={edit.problem} />
            )}
            <Text size="sm">{hintOf(edit.problem, words)}</Text>
            {edit.isGone && (
              <Button size="xs" variant="default" onClick={() => send({ type: 'createAnew' })}>
                {words.createAnew}
              </Button>
            )}
          </Stack>
        </Alert>
      )}
    </>
  )
}

type EditorWords = ReturnType<typeof useEditorWords>

const titleOf = (problem: Error, words: EditorWords): string =>
  problem instanceof ManifestError ? words.unread : words.problem

function hintOf(problem: Error, words: EditorWords): string {
  if (problem instanceof KubeError && problem.status === 401) return words.sessionOver
  return problem instanceof UnknownOutcome ? words.unknown : words.problemKept
}
