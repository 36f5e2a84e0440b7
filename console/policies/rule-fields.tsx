import { ActionIcon, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { adding, type Change, removing, setting, settingTexts } from '../forms/changes.js'
import { RemoveRow } from '../forms/remove-row.js'
import { Rows } from '../forms/rows.js'
import { SeveralSelect } from '../parts/several-select.js'
import { usePolicyWords } from '../words/policies.js'
import { useWords } from '../words/use-words.js'
import type { Rule } from './policy-document.js'

/** Items of a list that are shown as fields: a browser takes half a minute to render a thousand. */
export const MOST_ITEMS = 30

const RULES = ['spec', 'overrideRules']
const COMPONENTS = ['Registry', 'Repository', 'Tag']
const OPERATORS = ['add', 'replace', 'remove']

/** The rules of an override policy: their clusters and image changes. */
export function RuleFields({
  rules,
  clusters,
  apply,
}: {
  readonly rules: readonly Rule[]
  readonly clusters: readonly string[]
  readonly apply: (...changes: readonly Change[]) => void
}) {
  const { form: words } = usePolicyWords()
  const { joint } = useWords()
  return (
    <Rows
      items={rules}
      most={MOST_ITEMS}
      add={() => apply(adding(RULES, { overriders: { imageOverrider: [NEW_IMAGE] } }))}
      addLabel={words.addRule}
      row={(rule, index) => (
        <Fieldset legend={words.rule(index + 1)}>
          <Stack gap="xs">
            <Group align="start" wrap="nowrap">
              <SeveralSelect
                label={words.clusters}
                description={words.everyCluster}
                data={[...new Set([...clusters, ...rule.clusters])]}
                value={[...rule.clusters]}
                onChange={names =>
                  apply(settingTexts([...RULES, index, 'targetCluster', 'clusterNames'], names))
                }
                style={{ flexGrow: 1 }}
              />
              <RemoveRow
                label={words.removeRule(index + 1)}
                remove={() => apply(removing([...RULES, index]))}
              />
            </Group>
            <Images rule={rule} path={[...RULES, index, 'overriders', 'imageOverrider']} apply={apply} />
            {rule.others.length > 0 && <Text size="sm">{words.others(joint.names(rule.others))}</Text>}
          </Stack>
        </Fieldset>
      )}
    />
  )
}

const NEW_IMAGE = { component: 'Tag', operator: 'replace', value: 'latest' }

function Images({
  rule: { images },
  path,
  apply,
}: {
  readonly rule: Rule
  readonly path: readonly (string | number)[]
  readonly apply: (...changes: readonly Change[]) => void
}) {
  const { form: words } = usePolicyWords()
  return (
    <Rows
      items={images}
      most={MOST_ITEMS}
      add={() => apply(adding(path, NEW_IMAGE))}
      addLabel={words.addImage}
      row={(image, index) => (
        <Group align="end" wrap="nowrap" role="group" aria-label={words.image(index + 1)}>
          <Select
            label={words.component}
            allowDeselect={false}
            data={COMPONENTS}
            value={image.component}
            onChange={value => apply(setting([...path, index, 'component'], value ?? undefined))}
          />
          <Select
            label={words.operator}
            allowDeselect={false}
            data={OPERATORS}
            value={image.operator}
            onChange={value => apply(setting([...path, index, 'operator'], value ?? undefined))}
          />
          <TextInput
            label={words.value}
            value={image.value}
            onChange={event => apply(setting([...path, index, 'value'], event.currentTarget.value))}
          />
          <ActionIcon
            variant="default"
            size="lg"
            aria-label={words.removeImage(index + 1)}
            onClick={() => apply(removing([...path, index]))}
          >
            ×
          </ActionIcon>
        </Group>
      )}
    />
  )
}
