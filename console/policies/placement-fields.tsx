import { Group, NumberInput, Select, Switch, Text } from '@mantine/core'
import { setting, settingTexts } from '../forms/changes.js'
import { SeveralSelect } from '../parts/several-select.js'
import { usePolicyWords } from '../words/policies.js'
import type { FieldsProps } from './fields-props.js'
import type { Division } from './policies.js'
import { dividing, weighing } from './policy-document.js'

const divisions = ['duplicated', 'aggregated', 'dynamic', 'static'] as const
const AFFINITY = ['spec', 'placement', 'clusterAffinity', 'clusterNames']

/** Clusters with a field for their weight. More must be written as YAML. */
const MOST_WEIGHED = 20

/** Where a propagation policy places its templates, and how it competes with other policies. */
export function PlacementFields({
  spec,
  clusters,
  apply,
}: FieldsProps & { readonly clusters: readonly string[] }) {
  const policies = usePolicyWords()
  const { form: words } = policies
  const weighed = spec.clusters.length > 0 ? spec.clusters : clusters
  return (
    <>
      {spec.hasGroups ? (
        <Text size="sm">{words.groups}</Text>
      ) : (
        <SeveralSelect
          label={words.clusters}
          description={words.clustersHelp}
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
