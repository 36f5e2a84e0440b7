import { Group, List, NumberInput, Paper, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { MayButton } from '../parts/may.js'
import { Problem } from '../parts/problem.js'
import { useAction } from '../parts/use-action.js'
import { useSettingWords } from '../words/settings.js'
import { changesOf, type Setting } from './setting.js'

/** One of Karmada's components that can be switched and tuned. */
export function KarmadaSetting({
  instance,
  name,
  title,
  help,
  fields,
  read,
  write,
  isAdopted,
}: {
  readonly instance: string
  /** As rights name it: `failover`. */
  readonly name: string
  readonly title: string
  readonly help: string
  /** The name of each field that is a time, for people. */
  readonly fields: Readonly<Record<string, string>>
  readonly read: (signal: AbortSignal) => Promise<Setting>
  readonly write: (setting: Setting, how: { readonly dryRun: boolean }) => Promise<unknown>
  readonly isAdopted: boolean
}) {
  const words = useSettingWords()
  const queries = useQueryClient()
  const queryKey = ['setting', instance, name]
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    // Without an installation there is nothing to read it from.
    enabled: !isAdopted,
  })
  const [typed, setTyped] = useState<Setting>()
  // What the host has accepted: whoever changes something afterwards checks again.
  const [accepted, setAccepted] = useState<Setting>()
  const [saved, setSaved] = useState(false)
  const shown = typed ?? data
  const check = useAction(async () => {
    if (!typed) return
    await write(typed, { dryRun: true })
    setAccepted(typed)
  })
  const save = useAction(async () => {
    if (!typed) return
    await write(typed, { dryRun: false })
    queries.setQueryData(queryKey, typed)
    setTyped(undefined)
    setSaved(true)
  })
  const change = (next: Setting) => {
    setTyped(next)
    setSaved(false)
  }
  const sayTime = (seconds: number) => (seconds === 0 ? words.default : `${seconds} ${words.seconds}`)
  const changes = data && typed ? changesOf(data, typed) : []
  const isAccepted = changes.length > 0 && accepted === typed
  const problem = save.error ?? check.error
  const wanted = { verb: 'update', resource: `instances/${name}`, name: instance }
  return (
    <Paper withBorder p="lg" component="section" aria-label={title}>
      <Stack gap="sm">
        <Title order={3} size="h4">
          {title}
        </Title>
        <Text size="sm">{help}</Text>
        {error && <Problem error={error} retry={() => void refetch()} />}
        {isAdopted && (
          <Text size="sm" c="dimmed">
            {words.adopted}
          </Text>
        )}
        {shown && (
          <>
            <Switch
              label={words.enabled}
              checked={shown.enabled}
              onChange={({ currentTarget: { checked } }) => change({ ...shown, enabled: checked })}
            />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              {Object.entries(fields).map(([field, label]) => (
                <NumberInput
                  key={field}
                  label={label}
                  suffix={` ${words.seconds}`}
                  placeholder={words.default}
                  value={shown.times[field] || ''}
                  min={0}
                  allowDecimal={false}
                  disabled={!shown.enabled}
                  onChange={value =>
                    change({ ...shown, times: { ...shown.times, [field]: Number(value) || 0 } })
                  }
                />
              ))}
            </SimpleGrid>
          </>
        )}
        {changes.length > 0 && (
          <section aria-label={words.changes}>
            <Text fw={600} size="sm">
              {words.changes}
            </Text>
            <List size="sm">
              {changes.map(({ field, from, to }) => (
                <List.Item key={field}>
                  {field === 'enabled'
                    ? words.change(title, from ? words.on : words.off, to ? words.on : words.off)
                    : words.change(fields[field] ?? field, sayTime(Number(from)), sayTime(Number(to)))}
                </List.Item>
              ))}
              <List.Item>{words.restarts}</List.Item>
            </List>
          </section>
        )}
        {isAccepted && (
          <Text size="sm" role="status">
            {words.accepted}
          </Text>
        )}
        {problem && <Problem error={problem} />}
        {!isAdopted && (
          <Group>
            <MayButton
              wanted={wanted}
              size="xs"
              variant={isAccepted ? 'default' : 'filled'}
              disabled={changes.length === 0}
              loading={check.busy}
              onClick={() => void check.run()}
            >
              {words.check}
            </MayButton>
            <MayButton
              wanted={wanted}
              size="xs"
              disabled={!isAccepted}
              loading={save.busy}
              onClick={() => void save.run()}
            >
              {words.save}
            </MayButton>
            {saved && (
              <Text size="sm" role="status">
                {words.saved}
              </Text>
            )}
          </Group>
        )}
      </Stack>
    </Paper>
  )
}
