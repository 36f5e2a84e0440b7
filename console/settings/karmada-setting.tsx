import { List, NumberInput, SimpleGrid, Stack, Switch, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Problem } from '../failures/problem.js'
import { DraftNotice, useFormDraft } from '../forms/form-draft.js'
import { Section } from '../parts/section.js'
import { RefusalNotice } from '../rights/may.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useSettingWords } from '../words/settings.js'
import { CheckThenWrite, useCheckedWrite } from '../writes/checked-write.js'
import { changesOf, type Setting } from './setting.js'

/** A component of Karmada that can be switched and tuned. */
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
  /** Its name in RBAC: `failover`. */
  readonly name: string
  readonly title: string
  readonly help: string
  /** The label of each duration, by field. */
  readonly fields: Readonly<Record<string, string>>
  readonly read: (signal: AbortSignal) => Promise<Setting>
  readonly write: (setting: Setting, how: { readonly dryRun: boolean }) => Promise<unknown>
  readonly isAdopted: boolean
}) {
  const words = useSettingWords()
  const notYet = useNotYetWords()
  const queries = useQueryClient()
  const queryKey = ['setting', instance, name]
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) => read(signal),
    // The setting is part of the installation; adopted instances have none.
    enabled: !isAdopted,
  })
  const draft = useFormDraft<Setting | null>(`setting ${instance} ${name}`, null)
  const { fields: typed, set: setTyped, discard } = draft
  const [saved, setSaved] = useState(false)
  const shown = typed ?? data
  const checkedWrite = useCheckedWrite(
    typed,
    async () => typed && write(typed, { dryRun: true }),
    async () => {
      if (!typed) return
      await write(typed, { dryRun: false })
      queries.setQueryData(queryKey, typed)
      discard()
      setSaved(true)
    },
  )
  const change = (next: Setting) => {
    setTyped(next)
    setSaved(false)
  }
  const sayTime = (seconds: number) => (seconds === 0 ? words.default : `${seconds} ${words.seconds}`)
  const changes = data && typed ? changesOf(data, typed) : []
  const isChanged = changes.length > 0
  const wanted = { verb: 'update', resource: `instances/${name}`, name: instance }
  return (
    <Section title={title}>
      <Stack gap="sm">
        <Text size="sm">{help}</Text>
        {error && <Problem error={error} retry={() => void refetch()} />}
        {!isAdopted && <RefusalNotice wanted={wanted} />}
        {isAdopted && (
          <Text size="sm" c="dimmed">
            {words.adopted}
          </Text>
        )}
        <DraftNotice of={draft} label={title} />
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
        {isChanged && (
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
        {!isAdopted && (
          <CheckThenWrite
            // A form that was checked and then changed back has nothing to save.
            of={isChanged ? checkedWrite : { ...checkedWrite, checked: undefined }}
            wanted={wanted}
            notYet={isChanged ? undefined : notYet.noChange}
            words={{ check: words.check, write: words.save }}
            size="xs"
            accepted={
              <Text size="sm" role="status">
                {words.accepted}
              </Text>
            }
            after={
              saved && (
                <Text size="sm" role="status">
                  {words.saved}
                </Text>
              )
            }
          />
        )}
      </Stack>
    </Section>
  )
}
