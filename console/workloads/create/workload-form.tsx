import {
  Autocomplete,
  Button,
  Checkbox,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useClusterNames, useNamespaceNames } from '../../instance/names.js'
import { isWorkloadKind, workloadKinds } from '../../kube/workload-kinds.js'
import { SeveralSelect } from '../../parts/several-select.js'
import { useObjectWords } from '../../words/objects.js'
import { hasReplicas, mistakesOf, type WorkloadFields } from './sketch.js'

/** The fields that most workloads need; the YAML has the rest. */
export function WorkloadForm({
  instance,
  fields,
  change,
  next,
}: {
  readonly instance: string
  readonly fields: WorkloadFields
  readonly change: (part: Partial<WorkloadFields>) => void
  readonly next: () => void
}) {
  const objects = useObjectWords()
  const { form: words } = objects
  const clusters = useClusterNames(instance)
  const namespaces = useNamespaceNames(instance)
  const [isTried, setTried] = useState(false)
  const mistakes = mistakesOf(fields)
  const said = (is: boolean, text: string) => isTried && is && text
  const saidOfName = (is: 'missing' | 'wrong' | undefined) =>
    isTried && is !== undefined && { missing: words.nameMissing, wrong: words.nameWrong }[is]
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (!Object.values(mistakes).some(Boolean)) next()
  }
  return (
    <Stack component="form" onSubmit={submit} maw={760} {...{ noValidate: true }}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <Select
          label={words.kind}
          allowDeselect={false}
          value={fields.kind}
          onChange={kind => isWorkloadKind(kind) && change({ kind })}
          data={Object.entries(workloadKinds).map(([value, { kind }]) => ({ value, label: kind }))}
        />
        <Autocomplete
          label={words.namespace}
          value={fields.namespace}
          onChange={namespace => change({ namespace })}
          data={[...namespaces]}
          error={saidOfName(mistakes.namespace)}
          required
        />
        <TextInput
          label={words.name}
          description={words.nameHelp}
          value={fields.name}
          onChange={event => change({ name: event.currentTarget.value })}
          error={saidOfName(mistakes.name)}
          autoComplete="off"
          required
        />
        <TextInput
          label={words.image}
          description={words.imageHelp}
          value={fields.image}
          onChange={event => change({ image: event.currentTarget.value })}
          error={said(mistakes.image, words.imageWrong)}
          autoComplete="off"
          required
        />
        {fields.kind === 'cronjobs' && (
          <TextInput
            label={words.schedule}
            description={words.scheduleHelp}
            value={fields.schedule}
            onChange={event => change({ schedule: event.currentTarget.value })}
            error={said(mistakes.schedule, words.scheduleWrong)}
            required
          />
        )}
        {(fields.kind === 'jobs' || fields.kind === 'cronjobs') && (
          <TextInput
            label={words.command}
            description={words.commandHelp}
            value={fields.command}
            onChange={event => change({ command: event.currentTarget.value })}
          />
        )}
        {hasReplicas(fields.kind) && (
          <NumberInput
            label={words.replicas}
            min={0}
            max={1_000_000}
            allowDecimal={false}
            value={fields.replicas}
            onChange={value => change({ replicas: Number(value) })}
          />
        )}
        <NumberInput
          label={words.port}
          min={1}
          max={65_535}
          allowDecimal={false}
          value={fields.port ?? ''}
          onChange={value =>
            change({ port: value === '' ? undefined : Number(value) } as Partial<WorkloadFields>)
          }
        />
      </SimpleGrid>
      <Checkbox
        label={words.policy}
        checked={fields.withPolicy}
        onChange={event => change({ withPolicy: event.currentTarget.checked })}
      />
      {fields.withPolicy && (
        <SeveralSelect
          label={words.clusters}
          description={words.clustersHelp}
          value={[...fields.clusters]}
          onChange={chosen => change({ clusters: chosen })}
          data={[...clusters]}
        />
      )}
      {fields.withPolicy && hasReplicas(fields.kind) && (
        <Group>
          <Text size="sm" id="spread">
            {words.spread}
          </Text>
          <SegmentedControl
            aria-labelledby="spread"
            value={fields.isDivided ? 'divided' : 'duplicated'}
            onChange={value => change({ isDivided: value === 'divided' })}
            data={[
              { value: 'duplicated', label: words.duplicated },
              { value: 'divided', label: words.divided },
            ]}
          />
        </Group>
      )}
      <Group>
        <Button type="submit">{words.next}</Button>
      </Group>
    </Stack>
  )
}
