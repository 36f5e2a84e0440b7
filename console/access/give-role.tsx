import { Button, Group, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Problem } from '../failures/problem.js'
import { DraftNotice, useFormDraft } from '../forms/form-draft.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useAccessWords } from '../words/use-access-words.js'
import { useAct } from './act.js'
import { ChangePreview } from './change-preview.js'
import { give, type Preview, previewOf } from './role-requests.js'
import type { BindingKind } from './sources.js'
import { subjectsOf } from './subjects.js'

const NOTHING = { name: '', on: '', role: 'Viewer', namespaces: '', who: '', until: '', reason: '' }
type FormValues = typeof NOTHING

/** A form that gives a role. A preview shows its effects first; the typed values stay when the server refuses. */
export function GiveRole({
  kind,
  opened,
  close,
}: {
  readonly kind: BindingKind
  readonly opened: boolean
  readonly close: () => void
}) {
  const access = useAccessWords()
  const notYet = useNotYetWords()
  const { roles: words } = access
  const draft = useFormDraft(`role ${kind}`, NOTHING)
  const { fields: typed, set: setTyped } = draft
  const [preview, setPreview] = useState<Preview>()
  const { act, busy, problem } = useAct()
  const { subjects, wrong } = subjectsOf(typed.who)
  const field = (name: keyof FormValues) => ({
    value: typed[name],
    onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
      setTyped(before => ({ ...before, [name]: value }))
      // The preview is of the values before this change.
      setPreview(undefined)
    },
  })
  const on = kind === 'instances' ? words.instance : words.workspace
  const missing = [
    typed.name === '' && words.name,
    typed.on === '' && on,
    typed.who.trim() === '' && words.who,
  ].filter(field => field !== false)
  const refusal =
    missing.length > 0 ? notYet.fill(missing) : wrong === undefined ? undefined : words.wrongWho(wrong)
  const grant = { ...typed, subjects, namespaces: typed.namespaces.split(/[\s,]+/).filter(Boolean) }
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={words.give}
      size="lg"
      closeButtonProps={{ 'aria-label': access.cancel }}
    >
      <Stack
        component="form"
        onSubmit={event => {
          event.preventDefault()
          if (preview)
            act(
              () => give(kind, grant),
              () => {
                draft.discard()
                setPreview(undefined)
                close()
              },
            )
          else
            act(
              async () => setPreview(await previewOf(kind, grant)),
              () => undefined,
            )
        }}
      >
        <DraftNotice
          of={{
            ...draft,
            discard: () => {
              draft.discard()
              setPreview(undefined)
            },
          }}
          label={words.give}
        />
        <Group grow align="flex-start">
          <TextInput label={words.name} required {...field('name')} />
          <TextInput label={on} required {...field('on')} />
        </Group>
        <Group grow align="flex-start">
          <Select
            label={words.role}
            data={['Viewer', 'Editor', 'Admin']}
            allowDeselect={false}
            value={typed.role}
            onChange={role => {
              setTyped(before => ({ ...before, role: role ?? 'Viewer' }))
              setPreview(undefined)
            }}
          />
          <TextInput
            type="datetime-local"
            label={words.expires}
            description={words.expiresHelp}
            {...field('until')}
          />
        </Group>
        {kind === 'instances' && (
          <TextInput label={words.namespaces} description={words.namespacesHelp} {...field('namespaces')} />
        )}
        <Textarea
          label={words.who}
          description={words.whoHelp}
          required
          autosize
          minRows={2}
          error={wrong !== undefined && words.wrongWho(wrong)}
          {...field('who')}
        />
        <TextInput label={words.why} {...field('reason')} />
        {preview && <ChangePreview preview={preview} />}
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={close}>
            {access.cancel}
          </Button>
          <RefusableButton type="submit" loading={busy} refusal={refusal}>
            {preview ? words.confirm : words.preview}
          </RefusableButton>
        </Group>
      </Stack>
    </Modal>
  )
}
