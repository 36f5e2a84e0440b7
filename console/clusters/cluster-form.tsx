import { Group, List, Text, Textarea, TextInput } from '@mantine/core'
import { useClusterWords } from '../words/clusters.js'
import { useWords } from '../words/use-words.js'
import { type ClusterFields, differences, readLabels, readTaints } from './cluster-fields.js'

/** Fields for a cluster's labels, taints and location, with their mistakes. */
export function ClusterForm({
  fields,
  change,
}: {
  readonly fields: ClusterFields
  readonly change: (fields: ClusterFields) => void
}) {
  const words = useClusterWords()
  const { joint } = useWords()
  const set = (part: Partial<ClusterFields>) => change({ ...fields, ...part })
  const labels = readLabels(fields.labels).wrong.map(({ line, text }) => words.wrongLabel(line, text))
  const taints = readTaints(fields.taints).wrong.map(({ line, text }) => words.wrongTaint(line, text))
  return (
    <>
      <Textarea
        label={words.labels}
        description={words.labelsHelp}
        value={fields.labels}
        onChange={({ currentTarget: { value } }) => set({ labels: value })}
        error={joint.clauses(labels) || undefined}
        autosize
        minRows={2}
        maxRows={10}
        styles={MONOSPACE}
      />
      <Textarea
        label={words.taints}
        description={words.taintsHelp}
        value={fields.taints}
        onChange={({ currentTarget: { value } }) => set({ taints: value })}
        error={joint.clauses(taints) || undefined}
        autosize
        minRows={2}
        maxRows={10}
        styles={MONOSPACE}
      />
      <Group grow align="flex-start">
        <TextInput
          label={words.provider}
          value={fields.provider}
          onChange={({ currentTarget: { value } }) => set({ provider: value })}
        />
        <TextInput
          label={words.region}
          value={fields.region}
          onChange={({ currentTarget: { value } }) => set({ region: value })}
        />
        <TextInput
          label={words.zones}
          placeholder={words.zonesHelp}
          value={fields.zones}
          onChange={({ currentTarget: { value } }) => set({ zones: value })}
        />
      </Group>
    </>
  )
}

const MONOSPACE = { input: { fontFamily: 'var(--mantine-font-family-monospace)' } } as const

/** Whether the fields are valid. */
export const isRight = ({ labels, taints }: ClusterFields): boolean =>
  readLabels(labels).wrong.length + readTaints(taints).wrong.length === 0

/** The changes that saving would make, a line each. */
export function Changes({
  before,
  after,
}: {
  readonly before: ClusterFields
  readonly after: ClusterFields
}) {
  const words = useClusterWords()
  const changes = differences(before, after)
  const sentences = changes.map(change =>
    change.kind === 'sets'
      ? words.sets(words[change.field], change.from, change.to)
      : words[change.kind](change.what),
  )
  return (
    <section aria-label={words.changes}>
      <Text fw={600} size="sm">
        {words.changes}
      </Text>
      {sentences.length === 0 ? (
        <Text size="sm">{words.noChange}</Text>
      ) : (
        <List size="sm">
          {sentences.map(sentence => (
            <List.Item key={sentence}>{sentence}</List.Item>
          ))}
        </List>
      )}
    </section>
  )
}
