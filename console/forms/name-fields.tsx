import { Autocomplete, SimpleGrid, TextInput } from '@mantine/core'
import { useRefusal } from '../editor/refusals.js'
import { useFormWords } from '../words/forms.js'
import { type Change, setting } from './changes.js'
import { isDnsLabel, isSubdomain } from './names.js'

/** Fields for the name of a new object, and its namespace where its kind has one. @param rename changes further fields that follow the name */
export function NameFields({
  name,
  namespace,
  namespaces = [],
  isNamespaced,
  isName = isSubdomain,
  apply,
  rename = next => apply(setting(['metadata', 'name'], next)),
  move = next => apply(setting(['metadata', 'namespace'], next)),
}: {
  readonly name: string
  readonly namespace: string
  /** The namespaces to choose from. */
  readonly namespaces?: readonly string[]
  readonly isNamespaced: boolean
  readonly isName?: (text: string) => boolean
  readonly apply: (...changes: readonly Change[]) => void
  readonly rename?: (name: string) => void
  readonly move?: (namespace: string) => void
}) {
  const words = useFormWords()
  const refused = useRefusal('metadata.name')
  const refusedPlace = useRefusal('metadata.namespace')
  const wrong = name === '' ? words.nameMissing : !isName(name) && words.nameWrong
  return (
    <SimpleGrid cols={{ base: 1, sm: isNamespaced ? 2 : 1 }}>
      <TextInput
        label={words.name}
        required
        value={name}
        error={wrong || refused}
        autoComplete="off"
        onChange={event => rename(event.currentTarget.value)}
      />
      {isNamespaced && (
        <Autocomplete
          label={words.namespace}
          placeholder="default"
          value={namespace}
          data={[...namespaces]}
          error={(namespace !== '' && !isDnsLabel(namespace) && words.nameWrong) || refusedPlace}
          onChange={move}
        />
      )}
    </SimpleGrid>
  )
}
