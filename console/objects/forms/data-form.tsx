import { Button, Fieldset, FileButton, Group, Select, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { useRefusal } from '../../editor/refusals.js'
import { setting } from '../../forms/changes.js'
import { freeKey } from '../../forms/key-field.js'
import { isDataKey } from '../../forms/names.js'
import { at, text } from '../../forms/reading.js'
import { useFormWords } from '../../words/forms.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import { useWords } from '../../words/use-words.js'
import {
  type DataKind,
  dataFields,
  formEntries,
  newPlace,
  SECRET_TYPES,
  settingFile,
  settingText,
  settingType,
} from './data-changes.js'
import { EntryFields } from './data-entry-fields.js'
import type { FieldsProps } from './form-props.js'
import type { KindForm } from './object-form.js'

/** The most entries that are shown as fields. */
const MOST_ENTRIES = 50
/** The largest file, bytes: API servers store no larger ConfigMap or Secret. */
const MOST_BYTES = 1_048_576

function DataFields({ kind, object: { object }, isNew, apply }: FieldsProps & { readonly kind: DataKind }) {
  const { data: words } = useObjectFormWords()
  const { further } = useFormWords()
  const refused = useRefusal('data')
  const [problem, setProblem] = useState<string>()
  // New values are visible. Existing values of a Secret are hidden until the user shows them.
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set())
  const all = formEntries(kind, object)
  const isTaken = (key: string) => all.some(entry => entry.key === key)
  const isSecret = kind === 'secrets'
  const show = (key: string, is = true) =>
    setShown(before => {
      const next = new Set(before)
      if (is) next.add(key)
      else next.delete(key)
      return next
    })
  const put = async (file: File, key: string) => {
    if (file.size > MOST_BYTES) return setProblem(words.tooLarge(file.name, MOST_BYTES))
    try {
      const bytes = new Uint8Array(await file.arrayBuffer())
      apply(...settingFile(kind, { key, bytes }, isNew))
    } catch (error) {
      setProblem(words.unread(file.name, error instanceof Error ? error.message : String(error)))
    }
  }
  const upload = async (files: readonly File[]) => {
    setProblem(undefined)
    for (const file of files) await put(file, keyOf(file.name))
  }
  return (
    <>
      {isSecret && <SecretType object={object} isNew={isNew} apply={apply} />}
      <Fieldset legend={words.entries}>
        <Stack>
          {all.slice(0, MOST_ENTRIES).map((entry, index) => (
            <EntryFields
              // biome-ignore lint/suspicious/noArrayIndexKey: an entry keeps its place while its key is typed
              key={index}
              entry={entry}
              object={object}
              isHidden={isSecret && !isNew && !shown.has(entry.key)}
              canHide={isSecret && !isNew}
              isTaken={isTaken}
              show={is => show(entry.key, is)}
              renamed={key => show(key, shown.has(entry.key))}
              replace={file => {
                setProblem(undefined)
                void put(file, entry.key)
              }}
              apply={apply}
            />
          ))}
          {all.length > MOST_ENTRIES && <Text size="sm">{further(all.length - MOST_ENTRIES)}</Text>}
          {(problem ?? refused) && (
            <Text size="sm" c="red" role="alert">
              {problem ?? refused}
            </Text>
          )}
          <Group gap="xs">
            <Button
              variant="default"
              size="xs"
              onClick={() => {
                const key = freeKey(isTaken)
                show(key)
                apply(settingText(newPlace(kind, key, isNew), ''))
              }}
            >
              {words.add}
            </Button>
            <FileButton multiple onChange={files => void upload(files)}>
              {props => (
                <Button variant="default" size="xs" {...props}>
                  {words.upload}
                </Button>
              )}
            </FileButton>
          </Group>
        </Stack>
      </Fieldset>
      <Switch
        label={words.immutable}
        description={words.immutableHelp}
        checked={at(object, 'immutable') === true}
        onChange={event => apply(setting(['immutable'], event.currentTarget.checked))}
      />
    </>
  )
}

/** Makes a key of a file name: characters that keys cannot have become hyphens. */
const keyOf = (name: string): string => {
  const key = name.replace(/[^-._a-zA-Z0-9]/g, '-')
  return isDataKey(key) ? key : 'file'
}

function SecretType({
  object,
  isNew,
  apply,
}: Pick<FieldsProps, 'isNew' | 'apply'> & { readonly object: unknown }) {
  const { data: words } = useObjectFormWords()
  const { joint } = useWords()
  const refused = useRefusal('type')
  const type = text(at(object, 'type')) || 'Opaque'
  const keys = SECRET_TYPES[type] ?? []
  return (
    <Select
      label={words.type}
      description={
        isNew ? (keys.length > 0 ? words.needs(joint.names(keys)) : words.typeHelp) : words.typeFixed
      }
      allowDeselect={false}
      disabled={!isNew}
      data={[...new Set([...Object.keys(SECRET_TYPES), type])]}
      value={type}
      error={refused}
      onChange={next => {
        if (next !== null) apply(...settingType(next, formEntries('secrets', object), isNew))
      }}
    />
  )
}

const shapeOf = (kind: DataKind) => Object.fromEntries(dataFields[kind].map(({ name }) => [name, {}]))

export const configMapForm: KindForm = {
  shape: shapeOf('configmaps'),
  Fields: props => <DataFields kind="configmaps" {...props} />,
}

export const secretForm: KindForm = {
  shape: shapeOf('secrets'),
  Fields: props => <DataFields kind="secrets" {...props} />,
}
