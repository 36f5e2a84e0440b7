import { Button, Group, Modal, Select, Stack, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import type {
  PreviewRoleBindingResponse,
  PreviewWorkspaceRoleBindingResponse,
} from '../../proto/gen/kairship/access_review_pb.js'
import { Problem } from '../failures/problem.js'
import { DraftNotice, useFormDraft } from '../forms/form-draft.js'
import { RefusableButton } from '../rights/refusable-button.js'
import { useNotYetWords } from '../words/not-yet.js'
import { useAccessWords } from '../words/use-access-words.js'
import { Dialog } from '../writes/dialog.js'
import { momentOf, useAct } from './act.js'
import { ChangePreview } from './change-preview.js'
import { type Binding, type BindingKind, bindings, reviews } from './sources.js'
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

/** Removes a role binding, after a preview of the effects. */
export function TakeRole({
  kind,
  binding,
  close,
}: {
  readonly kind: BindingKind
  readonly binding: Binding
  readonly close: () => void
}) {
  const access = useAccessWords()
  const { roles: words } = access
  const [preview, setPreview] = useState<Preview>()
  const { act, busy, problem } = useAct()
  const { name, on } = binding
  return (
    <Dialog onClose={close} title={words.takeTitle(name)} size="lg">
      <Stack>
        {preview && <ChangePreview preview={preview} />}
        {problem && <Problem error={problem} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            loading={busy && !preview}
            onClick={() =>
              act(
                async () => setPreview(await previewOf(kind, { name, on })),
                () => undefined,
              )
            }
          >
            {words.preview}
          </Button>
          <Button
            color="red"
            loading={busy && preview !== undefined}
            onClick={() =>
              act(
                () =>
                  kind === 'instances'
                    ? bindings.deleteInstanceRoleBinding({ name })
                    : bindings.deleteWorkspaceRoleBinding({ name }),
                close,
              )
            }
          >
            {words.take}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}

type Preview = Parameters<typeof ChangePreview>[0]['preview']

/** The fields of a new role binding. */
interface Grant {
  readonly name: string
  readonly on: string
  readonly role: string
  readonly namespaces: readonly string[]
  readonly subjects: ReturnType<typeof subjectsOf>['subjects']
  readonly until: string
  readonly reason: string
}

/** The preview of a binding; without a role, of its removal. */
async function previewOf(
  kind: BindingKind,
  { name, on, role, namespaces = [], subjects = [] }: Pick<Grant, 'name' | 'on'> & Partial<Grant>,
): Promise<Preview> {
  if (kind === 'instances')
    return reviews.previewRoleBinding({
      instance: on,
      name,
      ...(role !== undefined && { grant: { role, namespaces: [...namespaces], subjects: [...subjects] } }),
    }) as Promise<PreviewRoleBindingResponse>
  const { summary, instances, notes }: PreviewWorkspaceRoleBindingResponse =
    await reviews.previewWorkspaceRoleBinding({
      workspace: on,
      name,
      ...(role !== undefined && { grant: { role, subjects: [...subjects] } }),
    })
  return {
    summary,
    notes: [...instances.map(one => `${one.instance}: ${one.summary}`), ...notes],
    subjects: [],
    withheldNamespaces: [],
    unread: [],
  }
}

function give(kind: BindingKind, { on, until, namespaces, subjects, ...typed }: Grant): Promise<unknown> {
  const common = {
    name: typed.name,
    role: typed.role,
    reason: typed.reason,
    subjects: [...subjects],
    expiresAt: momentOf(until),
  }
  return kind === 'instances'
    ? bindings.createInstanceRoleBinding({
        binding: { ...common, instance: on, namespaces: [...namespaces] },
      })
    : bindings.createWorkspaceRoleBinding({ binding: { ...common, workspace: on } })
}
