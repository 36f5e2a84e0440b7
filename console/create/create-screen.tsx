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
import type { Instance } from '../../proto/gen/kairship/instance_pb.js'
import { instances } from '../connection/instance-service.js'
import { DraftNotice, useFormDraft } from '../forms/form-draft.js'
import { RefusalNotice } from '../rights/may.js'
import { useNotYetWords } from '../words/not-yet.js'
import { type SettingWords, useSettingWords } from '../words/settings.js'
import { CheckThenWrite, useCheckedWrite } from '../writes/checked-write.js'
import { adoptCommand, type InstanceFields, NO_INSTANCE, requestOf } from './instance-fields.js'

const CREATE = { verb: 'create', resource: 'instances' } as const

/** Creates an instance: adopts a control plane or installs one. A dry run checks it first. */
export function CreateScreen() {
  const { create: words } = useSettingWords()
  const notYet = useNotYetWords()
  const navigate = useNavigate()
  const draft = useFormDraft<InstanceFields>('new instance', NO_INSTANCE)
  const { fields } = draft
  const set = (part: Partial<InstanceFields>) => draft.set({ ...fields, ...part })
  const config = useQuery({
    queryKey: ['karmada config'],
    queryFn: ({ signal }) => instances.getInstanceKarmadaConfig({}, { signal }),
  })
  const checkedWrite = useCheckedWrite(
    JSON.stringify(fields),
    () => instances.createInstance({ ...requestOf(fields), dryRun: true }),
    async () => {
      await instances.createInstance(requestOf(fields))
      draft.forget()
      void navigate({ to: '/instances/$name', params: { name: fields.name.trim() } } as never)
    },
  )
  const isAdopted = fields.mode === 'adopt'
  const needed: readonly TextField[] = isAdopted ? ['name', 'secretNamespace', 'secretName'] : ['name']
  const missing = needed.filter(key => fields[key].trim() === '').map(key => words[key])
  const text = (key: TextField, help?: string) => (
    <TextInput
      label={words[key]}
      description={help}
      required={needed.includes(key)}
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
      <RefusalNotice wanted={CREATE} />
      <DraftNotice of={draft} label={words.title} />
      <SegmentedControl
        aria-label={words.mode}
        value={fields.mode}
        onChange={mode => set({ mode: mode as InstanceFields['mode'] })}
        data={[
          { value: 'adopt', label: words.adopt },
          { value: 'install', label: words.install },
        ]}
      />
      {text('name')}
      <Group grow>
        {text('alias')}
        {text('description')}
      </Group>
      {isAdopted ? (
        <>
          <Group grow align="flex-end">
            {text('secretNamespace')}
            {text('secretName')}
            {text('secretKey')}
          </Group>
          <Text size="sm">{words.secretHelp}</Text>
          <Code block tabIndex={0}>
            {adoptCommand(fields)}
          </Code>
        </>
      ) : (
        <>
          {config.data && <Text size="sm">{words.version(config.data.version)}</Text>}
          {text('namespace')}
          <Group grow align="flex-end">
            {text('hostNamespace')}
            {text('hostName', words.hostHelp)}
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
      <CheckThenWrite
        of={checkedWrite}
        wanted={CREATE}
        notYet={missing.length > 0 ? notYet.fill(missing) : undefined}
        words={{ check: words.check, write: words.create }}
        accepted={
          <Alert
            color="green"
            variant="outline"
            role="status"
            title={words.checked(fields.name.trim())}
            styles={{ title: { color: 'var(--mantine-color-text)' } }}
          >
            {isAdopted && <Text size="sm">{finding(checkedWrite.checked?.answer, words)}</Text>}
            <Text size="sm" mb={4}>
              {words.becomes}
            </Text>
            <Code block tabIndex={0}>
              {JSON.stringify({ kind: 'Instance', ...requestOf(fields).data }, undefined, 2)}
            </Code>
          </Alert>
        }
      />
    </Stack>
  )
}

/** What the check found of the control plane; nothing of it is in the answer to who may not read the instance. */
function finding(answer: Instance | undefined, words: SettingWords['create']): string {
  const { endpoint = '', kubernetesVersion = '' } = answer?.status ?? {}
  return endpoint ? words.found(endpoint, kubernetesVersion) : words.unseen
}

type TextField = Exclude<keyof InstanceFields, 'mode' | 'deletionPolicy'>
