import { Badge, Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core'
import { useRefusal } from '../../editor/refusals.js'
import { removing, renaming } from '../../forms/changes.js'
import { KeyField } from '../../forms/key-field.js'
import { isDataKey } from '../../forms/names.js'
import { at, text } from '../../forms/reading.js'
import { RemoveRow } from '../../forms/remove-row.js'
import { saveAs } from '../../parts/download.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import { type FormEntry, fileOf, settingText } from './data-changes.js'
import type { FieldsProps } from './form-props.js'

/** The height of a value's field at first, in lines; users can enlarge it. */
const MOST_LINES = 12

/** Fields for one entry of a ConfigMap or a Secret: its key, and its value where it is text. A binary value can only be replaced by a file. */
export function EntryFields({
  entry,
  object,
  isHidden,
  canHide,
  isTaken,
  show,
  renamed,
  replace,
  apply,
}: {
  readonly entry: FormEntry
  readonly object: unknown
  readonly isHidden: boolean
  readonly canHide: boolean
  readonly isTaken: (key: string) => boolean
  readonly show: (is: boolean) => void
  readonly renamed: (key: string) => void
  readonly replace: (file: File) => void
  readonly apply: FieldsProps['apply']
}) {
  const { data: words } = useObjectFormWords()
  const { field, key, bytes, isEditable, text: value } = entry
  const refused = useRefusal(`${field}[${key}]`)
  return (
    <Stack gap={4} role="group" aria-label={words.entry(key)}>
      <Group align="flex-start" wrap="nowrap">
        <KeyField
          label={words.key}
          value={key}
          isTaken={isTaken}
          wrong={isDataKey(key) ? refused : words.keyWrong}
          rename={next => {
            renamed(next)
            apply(renaming([field, key], next))
          }}
        />
        <RemoveRow label={words.remove(key)} remove={() => apply(removing([field, key]))} />
      </Group>
      <Group gap="xs">
        <Text size="xs" c="dimmed">
          {words.bytes(bytes)}
        </Text>
        {value === undefined && (
          <Badge variant="default" tt="none">
            {words.binary}
          </Badge>
        )}
        {canHide && isEditable && (
          <Button
            size="compact-xs"
            variant="default"
            aria-expanded={!isHidden}
            onClick={() => show(isHidden)}
          >
            {isHidden ? words.show(key) : words.hide(key)}
          </Button>
        )}
        <FileButton onChange={file => file && replace(file)}>
          {props => (
            <Button size="compact-xs" variant="default" {...props}>
              {words.replace(key)}
            </Button>
          )}
        </FileButton>
        <Button
          size="compact-xs"
          variant="default"
          onClick={() => saveAs(key, fileOf(entry, text(at(object, field, key))))}
        >
          {words.save(key)}
        </Button>
      </Group>
      {isEditable && !isHidden && (
        <Textarea
          aria-label={words.valueOf(key)}
          rows={Math.min(MOST_LINES, (value ?? '').split('\n').length)}
          resize="vertical"
          spellCheck={false}
          styles={MONOSPACE}
          value={value ?? ''}
          onChange={event => apply(settingText(entry, event.currentTarget.value))}
        />
      )}
      {!isEditable && (
        <Text size="sm" c="dimmed">
          {value === undefined ? words.binaryHelp : words.notHere}
        </Text>
      )}
    </Stack>
  )
}

const MONOSPACE = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } as const
