import { ActionIcon, Button, Fieldset, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { adding, removing, setting } from '../forms/changes.js'
import { usePolicyWords } from '../words/policies.js'
import type { FieldsProps } from './fields-props.js'
import { MOST_ITEMS } from './rule-fields.js'

/** Kinds that are offered; others are written as YAML. */
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

/** What a policy selects: a row for each selector. */
export function Selectors({ spec: { selectors }, apply }: FieldsProps) {
  const policies = usePolicyWords()
  const { form: words } = policies
  const path = ['spec', 'resourceSelectors']
  return (
    <Fieldset legend={words.selectors}>
      <Stack gap="xs">
        {selectors.length === 0 && <Text size="sm">{words.selectorsNone}</Text>}
        {selectors.slice(0, MOST_ITEMS).map((selector, index) => (
          <Stack
            // biome-ignore lint/suspicious/noArrayIndexKey: selectors have no names, and may be alike
            key={index}
            gap={4}
          >
            <Group align="end" wrap="nowrap" role="group" aria-label={words.selector(index + 1)}>
              <Select
                label={words.kindOf}
                searchable
                allowDeselect={false}
                data={[...new Set([...Object.keys(KINDS), ...(selector.kind ? [selector.kind] : [])])]}
                value={selector.kind}
                onChange={kind => {
                  if (kind === null) return
                  const apiVersion = KINDS[kind] ?? selector.apiVersion
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
        ))}
        {selectors.length > MOST_ITEMS && (
          <Text size="sm">{words.further(selectors.length - MOST_ITEMS)}</Text>
        )}
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'start' }}
          disabled={selectors.length >= MOST_ITEMS}
          onClick={() => apply(adding(path, { apiVersion: 'apps/v1', kind: 'Deployment' }))}
        >
          {words.addSelector}
        </Button>
      </Stack>
    </Fieldset>
  )
}
