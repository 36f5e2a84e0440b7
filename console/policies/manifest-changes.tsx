import { Anchor, Code, Group, Stack, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ManifestChange } from '../../proto/gen/kairship/placement_pb.js'
import { YamlComparison, YamlField } from '../editor/code/lazy.js'
import { objectIn, textOf } from '../editor/manifest.js'
import { usePolicyWords } from '../words/policies.js'
import { useWords } from '../words/use-words.js'
import { changeLines } from './change-lines.js'
import { inOrderOf } from './key-order.js'

/** Lines of one change that are shown before the user opens the whole manifest. */
const MOST_LINES = 8

/** The changes of the manifest in each cluster. */
export function ManifestChanges({ changes }: { readonly changes: readonly ManifestChange[] }) {
  const words = usePolicyWords()
  return (
    <Stack gap={4}>
      <Text size="sm" fw={600}>
        {words.manifests}
      </Text>
      {changes.map(change => (
        <Change key={change.cluster} change={change} />
      ))}
    </Stack>
  )
}

function Change({ change }: { readonly change: ManifestChange }) {
  const words = usePolicyWords()
  const { joint } = useWords()
  const [isOpen, { toggle }] = useDisclosure()
  const { cluster, before, after, problem } = change
  const lines = changeLines(change)
  const what = before === '' ? words.comes : after === '' ? words.goes : words.changes(lines.length)
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <Text size="sm">{joint.of(cluster, problem ? words.problem(problem) : what)}</Text>
        <Anchor component="button" type="button" size="sm" onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? words.hide : words.show(cluster)}
        </Anchor>
      </Group>
      {!isOpen && lines.length > 0 && (
        <Code block style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {lines.slice(0, MOST_LINES).join('\n')}
          {lines.length > MOST_LINES && `\n… ${lines.length - MOST_LINES}`}
        </Code>
      )}
      {isOpen && <WholeManifest change={change} />}
    </Stack>
  )
}

function WholeManifest({ change: { cluster, before, after } }: { readonly change: ManifestChange }) {
  const words = usePolicyWords()
  if (before === '' || after === '')
    return <YamlField label={words.manifestOf(cluster)} text={textOf(objectIn(before || after))} />
  const is = objectIn(before)
  return (
    <YamlComparison
      before={{ label: words.asIs(cluster), text: textOf(is) }}
      after={{ label: words.asWould(cluster), text: textOf(inOrderOf(is, objectIn(after))) }}
    />
  )
}
