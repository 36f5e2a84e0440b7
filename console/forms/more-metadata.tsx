import { Accordion, Stack } from '@mantine/core'
import { useFormWords } from '../words/forms.js'
import type { Change } from './changes.js'
import { KeyValues } from './key-values.js'
import { at, entries } from './reading.js'

/** Labels and annotations, collapsed because few users need them. */
export function MoreMetadata({
  object,
  apply,
}: {
  readonly object: unknown
  readonly apply: (...changes: readonly Change[]) => void
}) {
  const words = useFormWords()
  return (
    <Accordion variant="contained">
      <Accordion.Item value="metadata">
        <Accordion.Control>{words.metadata}</Accordion.Control>
        <Accordion.Panel>
          <Stack>
            <KeyValues
              legend={words.labels}
              path={['metadata', 'labels']}
              entries={entries(at(object, 'metadata', 'labels'))}
              apply={apply}
            />
            <KeyValues
              legend={words.annotations}
              path={['metadata', 'annotations']}
              entries={entries(at(object, 'metadata', 'annotations'))}
              isValue={() => true}
              apply={apply}
            />
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  )
}
