import { Fieldset, Group, Stack, Text, TextInput } from '@mantine/core'
import { useRefusal } from '../editor/refusals.js'
import { useFormWords } from '../words/forms.js'
import { type Change, type Path, removing, renaming, settingEntry } from './changes.js'
import { freeKey, KeyField } from './key-field.js'
import { isLabelKey, isLabelValue } from './names.js'
import { RemoveRow } from './remove-row.js'
import { Rows } from './rows.js'

/** Rows that are shown as fields: a browser takes seconds to render a thousand. */
const MOST_ROWS = 50
/** Longer values, in characters, are not shown in a one-line field. */
const MOST_IN_LINE = 2_000

/** The entries of a mapping of strings, such as labels, a row each. */
export function KeyValues({
  legend,
  help,
  path,
  entries,
  apply,
  isValue = isLabelValue,
  add,
}: {
  readonly legend: string
  readonly help?: string
  readonly path: Path
  readonly entries: readonly (readonly [key: string, value: string])[]
  readonly apply: (...changes: readonly Change[]) => void
  readonly isValue?: (value: string) => boolean
  /** The label of the button that adds an entry. */
  readonly add?: string
}) {
  const words = useFormWords()
  const refused = useRefusal(path.join('.'))
  const isTaken = (key: string) => entries.some(([there]) => there === key)
  return (
    <Fieldset legend={legend}>
      <Stack gap="xs">
        {help && (
          <Text size="sm" c="dimmed">
            {help}
          </Text>
        )}
        <Rows
          items={entries}
          most={MOST_ROWS}
          refused={refused}
          canAdd
          add={() => apply(settingEntry([...path, freeKey(isTaken)], ''))}
          addLabel={add ?? words.addEntry(legend)}
          row={([key, value], index) => (
            <Group align="flex-start" wrap="nowrap" role="group" aria-label={words.row(legend, index + 1)}>
              <KeyField
                label={words.key}
                value={key}
                isTaken={isTaken}
                wrong={isLabelKey(key) ? undefined : words.keyWrong}
                rename={next => apply(renaming([...path, key], next))}
              />
              {value.length > MOST_IN_LINE || value.includes('\n') ? (
                <TextInput
                  label={words.value}
                  style={{ flex: 1 }}
                  disabled
                  value={value.slice(0, 80)}
                  description={words.inYaml}
                />
              ) : (
                <TextInput
                  label={words.value}
                  style={{ flex: 1 }}
                  value={value}
                  error={!isValue(value) && words.valueWrong}
                  onChange={event => apply(settingEntry([...path, key], event.currentTarget.value))}
                />
              )}
              <RemoveRow label={words.removeEntry(key)} remove={() => apply(removing([...path, key]))} />
            </Group>
          )}
        />
      </Stack>
    </Fieldset>
  )
}
