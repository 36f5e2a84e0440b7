import {
  ActionIcon,
  Alert,
  Button,
  Fieldset,
  Group,
  MultiSelect,
  NumberInput,
  Select,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core'
import { usePolicyWords } from '../words/policies.js'
import type { Division } from './policies.js'
import {
  adding,
  type Change,
  changed,
  dividing,
  type FormFields,
  formOf,
  removing,
  setting,
  settingTexts,
  weighing,
} from './policy-document.js'
import { MOST_ITEMS, RuleFields } from './rule-fields.js'

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

const divisions = ['duplicated', 'aggregated', 'dynamic', 'static'] as const
const AFFINITY = ['spec', 'placement', 'clusterAffinity', 'clusterNames']

/**
 * A policy as a form. It edits the same text as the YAML beside it: what it does not know stays as it is, with its comments.
 * @param clusters the names of the member clusters, to choose from
 */
export function PolicyForm({
  text,
  change,
  clusters,
  isNew,
  isOverride,
}: {
  readonly text: string
  readonly change: (text: string) => void
  readonly clusters: readonly string[]
  readonly isNew: boolean
  readonly isOverride: boolean
}) {
  const policies = usePolicyWords()
  const { form: words } = policies
  const view = formOf(text)
  if ('problem' in view)
    return (
      <Alert color="orange" variant="outline" title={words.noForm}>
        <Text size="sm">{view.problem}</Text>
        <Text size="sm">{words.toYaml}</Text>
      </Alert>
    )
  const apply = (...changes: readonly Change[]) => change(changed(text, ...changes))
  const { spec, name, namespace } = view
  return (
    <Stack>
      {isNew && (
        <Group grow>
          <TextInput
            label={words.name}
            value={name}
            onChange={event => {
              const { value } = event.currentTarget
              // A text without a name is no manifest, and the form would be gone.
              if (value !== '') apply(setting(['metadata', 'name'], value))
            }}
          />
          {namespace !== '' && (
            <TextInput
              label={words.namespace}
              value={namespace}
              onChange={event => {
                const { value } = event.currentTarget
                if (value !== '') apply(setting(['metadata', 'namespace'], value))
              }}
            />
          )}
        </Group>
      )}
      <Selectors spec={spec} apply={apply} />
      {isOverride ? (
        <RuleFields rules={spec.rules} clusters={clusters} apply={apply} />
      ) : (
        <PlacementFields spec={spec} clusters={clusters} apply={apply} />
      )}
    </Stack>
  )
}

interface Fields {
  readonly spec: FormFields
  readonly apply: (...changes: readonly Change[]) => void
}

function Selectors({ spec: { selectors }, apply }: Fields) {
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

function PlacementFields({ spec, clusters, apply }: Fields & { readonly clusters: readonly string[] }) {
  const policies = usePolicyWords()
  const { form: words } = policies
  const weighed = spec.clusters.length > 0 ? spec.clusters : clusters
  return (
    <>
      {spec.hasGroups ? (
        <Text size="sm">{words.groups}</Text>
      ) : (
        <MultiSelect
          label={words.clusters}
          description={words.clustersHelp}
          searchable
          clearable
          data={[...new Set([...clusters, ...spec.clusters])]}
          value={[...spec.clusters]}
          onChange={names => apply(settingTexts(AFFINITY, names))}
        />
      )}
      <Select
        label={words.division}
        allowDeselect={false}
        data={divisions.map(value => ({ value, label: policies.division[value] }))}
        value={spec.division}
        onChange={next => {
          if (next !== null) apply(...dividing(next as Division))
        }}
      />
      {spec.division === 'static' && (
        <Group>
          {weighed.slice(0, MOST_WEIGHED).map(cluster => (
            <NumberInput
              key={cluster}
              label={words.weight(cluster)}
              min={1}
              max={100_000}
              allowDecimal={false}
              w={140}
              value={spec.weights.find(one => one.cluster === cluster)?.weight ?? ''}
              onChange={value => {
                if (typeof value === 'number' && value > 0) apply(weighing(cluster, value))
              }}
            />
          ))}
        </Group>
      )}
      {spec.division === 'static' && spec.hasOtherWeights && <Text size="sm">{words.otherWeights}</Text>}
      <NumberInput
        label={words.priority}
        allowDecimal={false}
        min={-(2 ** 31)}
        max={2 ** 31 - 1}
        value={spec.priority}
        onChange={value => {
          if (typeof value === 'number') apply(setting(['spec', 'priority'], value || undefined))
        }}
      />
      <Switch
        label={words.preempts}
        checked={spec.preempts}
        onChange={event =>
          apply(setting(['spec', 'preemption'], event.currentTarget.checked ? 'Always' : undefined))
        }
      />
      <Switch
        label={words.overwrites}
        checked={spec.overwrites}
        onChange={event =>
          apply(
            setting(['spec', 'conflictResolution'], event.currentTarget.checked ? 'Overwrite' : undefined),
          )
        }
      />
      <Switch
        label={words.dependencies}
        checked={spec.propagatesDependencies}
        onChange={event => apply(setting(['spec', 'propagateDeps'], event.currentTarget.checked))}
      />
    </>
  )
}

/** Clusters with a field for their weight each. More are written as YAML. */
const MOST_WEIGHED = 20
