import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import type { KubeApi } from '../kube/kube-api.js'
import { type ObjectAddress, type ObjectType, ownNamespaceOf } from '../kube/object.js'
import { ageOf } from '../parts/time.js'
import { RefusalNotice } from '../rights/may.js'
import { useRefusal, type Wanted } from '../rights/refusal.js'
import { useEditorWords } from '../words/editor.js'
import { useWords } from '../words/use-words.js'
import { KeepsFocus } from '../writes/keeps-focus.js'
import { YamlComparison, YamlField } from './code/lazy.js'
import { type Draft, drafts } from './drafts.js'
import type { Base, Stored } from './edit.js'
import { EditNotes } from './edit-notes.js'
import { Review } from './edit-review.js'
import { editSource } from './edit-source.js'
import { Steps } from './edit-steps.js'
import { type EditedAs, FormOrText } from './form-or-text.js'
import { schemaOf } from './schema/schemas.js'
import { useEdit } from './use-edit.js'
import { useMarks } from './use-marks.js'

export interface ObjectEditorProps {
  readonly api: KubeApi
  /** The title of the edit: `Deployment default/web`. */
  readonly title: string
  /** The edited object; absent where new ones are created. */
  readonly at?: ObjectAddress
  /** The type to create; absent where an object is edited. */
  readonly creates?: Pick<ObjectType, 'group' | 'resource'>
  /** The first text: the object as it was read, or a sketch of a new one. */
  readonly text: string
  /** The object as it was read. */
  readonly base?: Base
  /** Called once, after all objects are stored. */
  readonly done: (stored: Stored) => void
  readonly cancel?: () => void
  /** Shown beside the text while it is edited, such as a preview of its effects. */
  readonly beside?: (text: string) => ReactNode
  /** A form that edits the same text; shown instead of the YAML when the user chooses it. */
  readonly form?: (text: string, change: (text: string) => void) => ReactNode
}

/**
 * An editor of YAML that changes an object or creates objects. The server's schema helps, and the server shows what it would store before anything is
 * applied. A conflict keeps both versions; nothing typed is lost.
 */
export function ObjectEditor(props: ObjectEditorProps) {
  const { api, at, title, text, base } = props
  const words = useEditorWords()
  const { locale } = useWords()
  const key = `${api.instance} ${at ? `${at.type.group}/${at.type.resource} ${at.namespace}/${at.name}` : title}`
  const [draft, setDraft] = useState(() => drafts.of(key))
  const [taken, setTaken] = useState<Draft>()
  if (!draft || draft.text === text) return <Editing {...props} draftKey={key} />
  if (taken)
    return <Editing {...props} draftKey={key} startWith={taken} {...(base && { base: taken.base ?? base })} />
  return (
    <Alert color="blue" variant="outline" title={words.draft(ageOf(draft.at, Date.now(), locale))}>
      <Group>
        <Button size="xs" onClick={() => setTaken(draft)}>
          {words.takeDraft}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            drafts.delete(key)
            setDraft(undefined)
          }}
        >
          {words.dropDraft}
        </Button>
      </Group>
    </Alert>
  )
}

/** The action whose right the user needs to store the text. */
function rightFor({
  api: { instance },
  at,
  creates,
}: {
  readonly api: KubeApi
  readonly at: ObjectAddress | undefined
  readonly creates: ObjectEditorProps['creates']
}): Wanted | undefined {
  if (creates) {
    const { group, resource } = creates
    return { instance, verb: 'create', group, resource }
  }
  if (!at) return undefined
  const { group, resource } = at.type
  return { instance, verb: 'update', group, resource, namespace: ownNamespaceOf(at), name: at.name }
}

function Editing({
  api,
  title,
  at,
  creates,
  text,
  base,
  done,
  cancel,
  beside,
  form,
  draftKey,
  startWith,
}: ObjectEditorProps & { readonly draftKey: string; readonly startWith?: Draft }) {
  const words = useEditorWords()
  const source = useMemo(() => editSource(api, at), [api, at])
  const [edit, send] = useEdit({
    key: draftKey,
    text,
    draft: startWith,
    source,
    ...(base && { base }),
  })
  const lookup = (apiVersion: string, kind: string) => schemaOf(api, apiVersion, kind)
  const marks = useMarks(edit.text, lookup, edit.step === 'editing' ? edit.problem : undefined)
  // Kept across steps, so that users who chose YAML return to YAML.
  const [editedAs, setEditedAs] = useState<EditedAs>('form')
  const isReported = useRef(false)
  if (edit.step === 'applied' && !isReported.current) {
    isReported.current = true
    queueMicrotask(() => done(edit.stored))
  }
  const wanted = rightFor({ api, at, creates })
  const refusal = useRefusal(wanted)
  const isWriting = edit.step === 'editing' || edit.step === 'checking'
  const yaml = (
    <Stack gap="xs">
      <YamlField
        label={words.text(title)}
        text={edit.text}
        marks={marks}
        lookup={lookup}
        {...(edit.step === 'editing' && { change: next => send({ type: 'typed', text: next }) })}
      />
      <Text size="xs" c="dimmed">
        {words.keys}
      </Text>
    </Stack>
  )
  const field = form ? (
    <FormOrText
      form={form(edit.text, next => send({ type: 'typed', text: next }))}
      text={yaml}
      edit={edit}
      shown={editedAs}
      show={setEditedAs}
    />
  ) : (
    yaml
  )
  return (
    <KeepsFocus step={edit.step} label={title}>
      <Stack>
        <RefusalNotice wanted={wanted} />
        <EditNotes edit={edit} send={send} />
        {isWriting && beside && (
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            {field}
            <div>{beside(edit.text)}</div>
          </SimpleGrid>
        )}
        {isWriting && !beside && field}
        {(edit.step === 'reviewing' || edit.step === 'applying') && <Review edit={edit} />}
        {edit.step === 'conflicted' && (
          <YamlComparison
            before={{ label: words.theirs, text: edit.theirs.text }}
            after={{
              label: words.mine,
              text: edit.text,
              change: next => send({ type: 'typed', text: next }),
            }}
          />
        )}
        <Group>
          <Steps edit={edit} send={send} refusal={refusal} />
          {cancel && edit.step !== 'applying' && edit.step !== 'applied' && (
            <Button variant="default" onClick={cancel}>
              {words.cancel}
            </Button>
          )}
        </Group>
      </Stack>
    </KeepsFocus>
  )
}
