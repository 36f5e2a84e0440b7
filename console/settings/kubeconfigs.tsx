import { Divider, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { useState } from 'react'
import { InstanceRole } from '../../proto/gen/kairship/instance_pb.js'
import { instances } from '../connection/instance-service.js'
import { Problem } from '../failures/problem.js'
import { saveAs } from '../parts/download.js'
import { Section } from '../parts/section.js'
import { MayButton } from '../rights/may.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useSettingWords } from '../words/settings.js'
import { useWords } from '../words/use-words.js'
import { useAction } from '../writes/use-action.js'

const DAY = '86400'

/** Kubeconfigs for an instance: the user's own, and new ones for programs. */
export function Kubeconfigs({ instance }: { readonly instance: string }) {
  const { kubeconfig: words } = useSettingWords()
  const { locale } = useWords()
  const [role, setRole] = useState<keyof typeof words.roles>('INSTANCE_ROLE_VIEWER')
  const [namespaces, setNamespaces] = useState('')
  const [seconds, setSeconds] = useState(DAY)
  const [until, setUntil] = useState<string>()
  const own = useAction(async () => {
    const { kubeConfigString } = await instances.getInstanceKubeConfig({ instance })
    saveAs(`${instance}.kubeconfig`, kubeConfigString)
  })
  const issue = useAction(async () => {
    const { kubeConfigString, expirationTimestamp } = await instances.createInstanceScopedKubeConfig({
      instance,
      role: roleOf[role],
      namespaces: namespaces
        .split(',')
        .map(name => name.trim())
        .filter(Boolean),
      expirationSeconds: Number(seconds),
    })
    saveAs(`${instance}-${words.roles[role]}.kubeconfig`, kubeConfigString)
    setUntil(expirationTimestamp)
  })
  return (
    <Section title={words.title}>
      <Stack gap="sm">
        <Text size="sm">{words.ownHelp}</Text>
        <RefusableButton
          refusal={undefined}
          size="xs"
          variant="default"
          w="fit-content"
          loading={own.busy}
          onClick={() => void own.run()}
        >
          {words.own}
        </RefusableButton>
        {own.error && <Problem error={own.error} />}
        <Divider />
        <Title order={4} size="h6">
          {words.scoped}
        </Title>
        <Text size="sm">{words.scopedHelp}</Text>
        <Group grow align="flex-end">
          <NativeSelect
            label={words.role}
            value={role}
            onChange={({ currentTarget: { value } }) => setRole(value as typeof role)}
            data={Object.entries(words.roles).map(([value, label]) => ({ value, label }))}
          />
          <NativeSelect
            label={words.valid}
            value={seconds}
            onChange={({ currentTarget: { value } }) => setSeconds(value)}
            data={Object.entries(words.validFor).map(([value, label]) => ({ value, label }))}
          />
        </Group>
        <TextInput
          label={words.namespaces}
          description={words.namespacesHelp}
          value={namespaces}
          onChange={({ currentTarget: { value } }) => setNamespaces(value)}
        />
        {issue.error && <Problem error={issue.error} />}
        {until && !issue.error && (
          <Text size="sm" role="status">
            {words.until(new Date(until).toLocaleString(locale))}
          </Text>
        )}
        <MayButton
          wanted={{ verb: 'create', resource: 'instances/kubeconfig', name: instance }}
          size="xs"
          variant="default"
          w="fit-content"
          loading={issue.busy}
          onClick={() => void issue.run()}
        >
          {words.issue}
        </MayButton>
      </Stack>
    </Section>
  )
}

const roleOf = {
  INSTANCE_ROLE_VIEWER: InstanceRole.VIEWER,
  INSTANCE_ROLE_EDITOR: InstanceRole.EDITOR,
  INSTANCE_ROLE_ADMIN: InstanceRole.ADMIN,
} as const
