import { ActionIcon, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { adding, removing, setting } from '../forms/changes.js'
import { Rows } from '../forms/rows.js'
import { usePolicyWords } from '../words/policies.js'
import type { FieldsProps } from './fields-props.js'
import { MOST_ITEMS } from './rule-fields.js'

/** The kinds to choose from; others are written as YAML. */
const KINDS: Readonly<Record<string, string>> = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  DaemonSet: 'apps/v1',
  Job: 'batch/v1',
  CronJob: 'batch/v1',
  Service: 'v1',
  ConfigMap: 'v1',
  Secret: 'v1',
  Ingress: 'networking.k8s.io/v1',
}

/** The selectors of a policy, a row each. */
export function Selectors({ spec: { selectors }, apply }: FieldsProps) {
  const { form: words } = usePolicyWords()
  const path = ['spec', 'resourceSelectors']
  return (
    <Fieldset legend={words.selectors}>
      <Stack gap="xs">
        {selectors.length === 0 && <Text size="sm">{words.selectorsNone}</Text>}
        <Rows
          items={selectors}
          most={MOST_ITEMS}
          add={() => apply(adding(path, { apiVersion: 'apps/v1', kind: 'Deployment' }))}
          addLabel={words.addSelector}
          row={(selector, index) => (
            <Stack gap={4}>
              <Group align="end" wrap="nowrap" role="group" aria-label={words.selector(index + 1)}>
                <Select
                  label={words.kindOf}
                  searchable
                  allowDeselect={false}
                  data={[...new Set([...Object.keys(KINDS), ...(selector.kind ? [selector.kind] : [])])]}
                  value={selector.kind}
                  onChange={kind => {
                    if (kind === null) return
                    const apiVersion = Object.hasOwn(KINDS, kind) ? KINDS[kind] : selector.apiVersion
                    apply(
                      setting([...path, index, 'apiVersion'], apiVersion),
                      setting([...path, index, 'kind'], kind),
                    )
                  }}
                />
                <TextInput
                  label={words.named}
                  placeholder={words.anyName}
                  value={selector.name}
                  onChange={event => apply(setting([...path, index, 'name'], event.currentTarget.value))}
                />
                <ActionIcon
                  variant="default"
                  size="lg"
                  aria-label={words.removeSelector(index + 1)}
                  onClick={() => apply(removing([...path, index]))}
                >
                  ×
                </ActionIcon>
              </Group>
              {selector.hasLabels && <Text size="xs">{words.withLabels}</Text>}
            </Stack>
          )}
        />
      </Stack>
    </Fieldset>
  )
}
