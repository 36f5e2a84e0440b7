import { Checkbox, Fieldset, Stack, Text } from '@mantine/core'
import { settingTexts } from '../../forms/changes.js'
import { changedObject, changedText, type FormObject } from '../../forms/form-text.js'
import { at, texts } from '../../forms/reading.js'
import { useClusterNames } from '../../instance/names.js'
import { SeveralSelect } from '../../parts/several-select.js'
import { useObjectFormWords } from '../../words/object-forms.js'
import { CLUSTER_NAMES, policyFor } from './placement.js'

/** Fields for the policy of a new object: whether there is one, and its clusters. */
export function PlacementFields({
  instance,
  object,
  policy,
  text,
  change,
}: {
  readonly instance: string
  readonly object: FormObject
  readonly policy: FormObject | undefined
  readonly text: string
  readonly change: (text: string) => void
}) {
  const words = useObjectFormWords()
  const clusters = useClusterNames(instance)
  const chosen = texts(at(policy?.object, ...CLUSTER_NAMES))
  return (
    <Fieldset legend={words.placement}>
      <Stack gap="xs">
        <Checkbox
          label={words.withPolicy}
          checked={policy !== undefined}
          onChange={event => {
            const { checked } = event.currentTarget
            change(
              changedText(text, documents => {
                if (checked) documents.push(policyFor(object))
                else if (policy) documents.splice(policy.index, 1)
              }),
            )
          }}
        />
        {policy ? (
          <SeveralSelect
            label={words.clusters}
            description={words.clustersHelp}
            data={[...new Set([...clusters, ...chosen])]}
            value={[...chosen]}
            onChange={names => change(changedObject(text, policy.index, settingTexts(CLUSTER_NAMES, names)))}
          />
        ) : (
          <Text size="sm" c="dimmed">
            {words.withoutPolicy}
          </Text>
        )}
      </Stack>
    </Fieldset>
  )
}
