import { Switch } from '@mantine/core'
import { setting } from '../../forms/changes.js'
import { isDnsLabel } from '../../forms/names.js'
import { at } from '../../forms/reading.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import type { FieldsProps } from './form-props.js'
import type { KindForm } from './object-form.js'

/** Karmada creates namespaces in every member, except those with this label. */
const SKIPPED = 'namespace.karmada.io/skip-auto-propagation'

function NamespaceFields({ object: { object }, apply }: FieldsProps) {
  const { namespace: words } = useObjectFormWords()
  return (
    <Switch
      label={words.skipped}
      description={words.skippedHelp}
      checked={at(object, 'metadata', 'labels', SKIPPED) === 'true'}
      onChange={event =>
        apply(setting(['metadata', 'labels', SKIPPED], event.currentTarget.checked ? 'true' : undefined))
      }
    />
  )
}

export const namespaceForm: KindForm = { shape: {}, Fields: NamespaceFields, isName: isDnsLabel }
