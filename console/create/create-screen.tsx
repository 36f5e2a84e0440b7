import {
  Alert,
  Code,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { MayButton } from '../parts/may.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { instances } from '../settings/instances.js'
import { useSettingWords } from '../words/settings.js'
import { adoptCommand, type InstanceFields, NO_INSTANCE, requestOf } from './instance-fields.js'

const CREATE = { verb: 'create', resource: 'instances' } as const

/** Adopts a control plane or has one installed: checked by the host first, created after that. */
export function CreateScreen() {
  const { create: words } = useSettingWords()
  const navigate = useNavigate()
  const [fields, setFields] = useState<InstanceFields>(NO_INSTANCE)
  const set = (part: Partial<InstanceFields>) => setFields({ ...fields, ...part })
  const form = JSON.stringify(fields)
  // What was checked: whoever changes something afterwards checks again.
  const [checked, setChecked] = useState<string>()
  const config = useQuery({
    queryKey: ['karmada config'],
    queryFn: ({ signal }) => instances.getInstanceKarmadaConfig({}, { signal }),
  })
  const check = useAction(async () => {
    await instances.createInstance({ ...requestOf(fields), dryRun: true })
    setChecked(form)
  })
  const make = useAction(async () => {
    await instances.createInstance(requestOf(fields))
    void navigate({ to: '/instances/$name', params: { name: fields.name.trim() } } as never)
  })
  const isAdopted = fields.mode === 'adopt'
  const isComplete =
    fields.name.trim() !== '' &&
    (!isAdopted || (fields.secretName.trim() !== '' && fields.secretNamespace.trim() !== ''))
  const text = (key: TextField, label: string, more: { help?: string; required?: boolean } = {}) => (
    <TextInput
      label={label}
      description={more.help}
      required={more.required === true}
      value={fields[key]}
      onChange={({ currentTarget: { value } }) => set({ [key]: value })}
    />
  )
  return (
    <Stack maw={820}>
      <Title order={1} size="h2">
        {words.title}
      </Title>
      <Text size="sm">{words.help}</Text>
      <SegmentedControl
        aria-label={words.mode}
        value={fields.mode}
        onChange={mode => set({ mode: mode as InstanceFields['mode'] })}
        data={[
          { value: 'adopt', label: words.adopt },
          { value: 'install', label: words.install },
        ]}
      />
      {text('name', words.name, { required: true })}
      <Group grow>
        {text('alias', words.alias)}
        {text('description', words.description)}
      </Group>
      {isAdopted ? (
        <>
          <Group grow align="flex-end">
            {text('secretNamespace', words.secretNamespace, { required: true })}
            {text('secretName', words.secretName, { required: true })}
            {text('secretKey', words.secretKey)}
          </Group>
          <Text size="sm">{words.secretHelp}</Text>
          <Code block tabIndex={0}>
            {adoptCommand(fields)}
          </Code>
        </>
      ) : (
        <>
          {config.data && <Text size="sm">{words.version(config.data.version)}</Text>}
          {text('namespace', words.namespace)}
          <Group grow align="flex-end">
            {text('hostNamespace', words.hostNamespace)}
            {text('hostName', words.hostName, { help: words.hostHelp })}
          </Group>
          <NativeSelect
            label={words.deletionPolicy}
            value={fields.deletionPolicy}
            onChange={({ currentTarget: { value } }) =>
              set({ deletionPolicy: value as InstanceFields['deletionPolicy'] })
            }
            data={[
              { value: 'Retain', label: words.Retain },
              { value: 'Delete', label: words.Delete },
            ]}
          />
        </>
      )}
      {(make.error ?? check.error) && <Problem error={(make.error ?? check.error) as Error} />}
      {checked === form && !make.error && (
        <Alert
          color="green"
          variant="outline"
          role="status"
          title={words.checked(fields.name.trim())}
          styles={{ title: { color: 'var(--mantine-color-text)' } }}
        >
          <Text size="sm" mb={4}>
            {words.becomes}
          </Text>
          <Code block tabIndex={0}>
            {JSON.stringify({ kind: 'Instance', ...requestOf(fields).data }, undefined, 2)}
          </Code>
        </Alert>
      )}
      <Group>
        <MayButton
          wanted={CREATE}
          variant={checked === form ? 'default' : 'filled'}
          disabled={!isComplete}
          loading={check.busy}
          onClick={() => void check.run()}
        >
          {words.check}
        </MayButton>
        <MayButton
          wanted={CREATE}
          disabled={checked !== form}
          loading={make.busy}
          onClick={() => void make.run()}
        >
          {words.create}
        </MayButton>
      </Group>
    </Stack>
  )
}

type TextField = Exclude<keyof InstanceFields, 'mode' | 'deletionPolicy'>
