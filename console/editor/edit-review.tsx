import { Alert, List, Stack, Text } from '@mantine/core'
import { useEditorWords } from '../words/editor.js'
import { YamlComparison, YamlField } from './code/lazy.js'
import type { Edit } from './edit.js'

/** Shows what the server would store. */
export function Review({ edit }: { readonly edit: Edit & { readonly step: 'reviewing' | 'applying' } }) {
  const words = useEditorWords()
  const { before, after, warnings } = edit.checked
  return (
    <Stack gap="sm" component="section" aria-label={words.review}>
      <Text size="sm">
        {before === '' ? words.reviewNew : before === after ? words.same : words.reviewChange}
      </Text>
      {warnings.length > 0 && (
        <Alert color="yellow" variant="outline" title={words.warnings}>
          <List size="sm">
            {warnings.map(warning => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {before === '' ? (
        <YamlField label={words.after} text={after} />
      ) : (
        <YamlComparison
          before={{ label: words.before, text: before }}
          after={{ label: words.after, text: after }}
        />
      )}
    </Stack>
  )
}
