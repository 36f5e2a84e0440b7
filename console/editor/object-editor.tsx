import { Alert, Button, Group, List, Loader, SimpleGrid, Stack, Tabs, Text } from '@mantine/core'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import type { KubeApi } from '../kube/kube-api.js'
import { KubeError, UnknownOutcome } from '../kube/kube-error.js'
import type { ObjectAddress } from '../kube/object.js'
import { ageOf } from '../parts/time.js'
import { useEditorWords } from '../words/editor.js'
import { useWords } from '../words/use-words.js'
import { YamlComparison, YamlField } from './code/lazy.js'
import { type Draft, drafts } from './drafts.js'
import type { Base, Edit, EditEvent, Stored } from './edit.js'
import { editSource } from './edit-source.js'
import { ManifestError } from './manifest.js'
import { schemaOf } from './schema/schemas.js'
import { useEdit } from './use-edit.js'
import { useMarks } from './use-marks.js'

export interface ObjectEditorProps {
  readonly api: KubeApi
  /** What it is of, in words: `Deployment default/web`. */
  readonly title: string
  /** The object that is edited; absent where new ones are created. */
  readonly at?: ObjectAddress
  /** What the text begins with: of an object as it is, of a new one a sketch. */
  readonly text: string
  /** The object as it was read. */
  readonly base?: Base
  /** Called once, when all of it is stored. */
  readonly done: (stored: Stored) => void
  readonly cancel?: () => void
  /** Shown beside the text while it is written: a preview of what it would do. */
  readonly beside?: (text: string) => ReactNode
  /** A form that edits the same text, in place of the YAML while it is chosen. */
  readonly form?: (text: string, change: (text: string) => void) => ReactNode
}

/**
 * Edits an object or creates some, as YAML: the server's own schema helps, and nothing is applied before the server has shown what it would
 * store. A conflict keeps both versions; nothing typed is lost.
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
            drafts.forget(key)
            setDraft(undefined)
          }}
        >
          {words.dropDraft}
        </Button>
      </Group>
    </Alert>
  )
}

function Editing({
  api,
  title,
  at,
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
  const isTold = useRef(false)
  if (edit.step === 'applied' && !isTold.current) {
    isTold.current = true
    queueMicrotask(() => done(edit.stored))
  }
  const isWriting = edit.step === 'editing' || edit.step === 'checking'
  const yaml = (
    <YamlField
      label={words.text(title)}
      text={edit.text}
      marks={marks}
      lookup={lookup}
      {...(edit.step === 'editing' && { change: next => send({ type: 'typed', text: next }) })}
    />
  )
  const field = form ? (
    <FormOrText
      form={form(edit.text, next => send({ type: 'typed', text: next }))}
      text={yaml}
      isWriting={edit.step === 'editing'}
    />
  ) : (
    yaml
  )
  return (
    <Stack>
      <Said edit={edit} send={send} />
      {isWriting && beside && (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          {field}
          <div>{beside(edit.text)}</div>
        </SimpleGrid>
      )}
      {isWriting && !beside && field}
      {isWriting && (
        <Text size="xs" c="dimmed">
          {words.keys}
        </Text>
      )}
      {(edit.step === 'reviewing' || edit.step === 'applying') && <Review edit={edit} />}
      {edit.step === 'conflicted' && (
        <YamlComparison
          before={{ label: words.theirs, text: edit.theirs.text }}
          after={{ label: words.mine, text: edit.text, change: next => send({ type: 'typed', text: next }) }}
        />
      )}
      <Group>
        <Steps edit={edit} send={send} />
        {cancel && edit.step !== 'applying' && edit.step !== 'applied' && (
          <Button variant="default" onClick={cancel}>
            {words.cancel}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

/** A form or the text of it: both edit the same. What the server checks is not edited meanwhile. */
function FormOrText({
  form,
  text,
  isWriting,
}: {
  readonly form: ReactNode
  readonly text: ReactNode
  readonly isWriting: boolean
}) {
  const words = useEditorWords()
  return (
    <Tabs defaultValue="form" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="form">{words.form}</Tabs.Tab>
        <Tabs.Tab value="text">{words.yaml}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="form" pt="sm">
        <fieldset disabled={!isWriting} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          {form}
        </fieldset>
      </Tabs.Panel>
      <Tabs.Panel value="text" pt="sm">
        {text}
      </Tabs.Panel>
    </Tabs>
  )
}

interface Shown {
  readonly edit: Edit
  readonly send: (event: EditEvent) => void
}

/** What went wrong or happened meanwhile, and what helps. */
function Said({ edit, send }: Shown) {
  const words = useEditorWords()
  return (
    <>
      {edit.stored.length > 0 && (
        <Text size="sm" role="status">
          {words.stored(edit.stored.join(', '))}
        </Text>
      )}
      {edit.step === 'conflicted' && (
        <Alert color="orange" variant="outline" role="alert" title={words.conflict}>
          <Text size="sm">{words.conflictHow}</Text>
        </Alert>
      )}
      {edit.step === 'editing' && edit.problem && (
        <Alert
          color="red"
          variant="outline"
          role="alert"
          title={edit.isGone ? words.gone : titleOf(edit.problem, words)}
        >
          <Stack gap="xs" align="flex-start">
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {edit.problem.message}
            </Text>
            <Text size="sm">{hintOf(edit.problem, words)}</Text>
            {edit.isGone && (
              <Button size="xs" variant="default" onClick={() => send({ type: 'createAnew' })}>
                {words.createAnew}
              </Button>
            )}
          </Stack>
        </Alert>
      )}
    </>
  )
}

type EditorWords = ReturnType<typeof useEditorWords>

const titleOf = (problem: Error, words: EditorWords): string =>
  problem instanceof ManifestError ? words.unread : words.problem

function hintOf(problem: Error, words: EditorWords): string {
  if (problem instanceof KubeError && problem.status === 401) return words.sessionOver
  return problem instanceof UnknownOutcome ? words.unknown : words.problemKept
}

/** What would be stored. */
function Review({ edit }: { readonly edit: Edit & { readonly step: 'reviewing' | 'applying' } }) {
  const words = useEditorWords()
  const { before, after, warnings } = edit.checked
  return (
    <Stack gap="sm" component="section" aria-label={words.review}>
      <Text size="sm">
        {before === '' ? words.reviewNew : before === after ? words.same : words.reviewChange}
      </Text>
      {warnings.length > 0 && (
        <Alert color="yellow" variant="outline" title={words.warnings}>
          <List size="sm">
            {warnings.map(warning => (
              <List.Item key={warning}>{warning}</List.Item>
            ))}
          </List>
        </Alert>
      )}
      {before === '' ? (
        <YamlField label={words.after} text={after} />
      ) : (
        <YamlComparison
          before={{ label: words.before, text: before }}
          after={{ label: words.after, text: after }}
        />
      )}
    </Stack>
  )
}

/** What can be done next. */
function Steps({ edit, send }: Shown) {
  const words = useEditorWords()
  switch (edit.step) {
    case 'editing':
      return (
        <>
          <Button onClick={() => send({ type: 'check' })}>{words.check}</Button>
          {edit.aside !== undefined && (
            <Button variant="default" onClick={() => send({ type: 'takeBack' })}>
              {words.takeBack}
            </Button>
          )}
        </>
      )
    case 'checking':
      return (
        <Group role="status">
          <Loader size="sm" aria-hidden />
          <Text size="sm">{words.checking}</Text>
          <Button variant="default" onClick={() => send({ type: 'back' })}>
            {words.back}
          </Button>
        </Group>
      )
    case 'reviewing':
    case 'applying':
      return (
        <>
          <Button
            loading={edit.step === 'applying'}
            disabled={edit.checked.before === edit.checked.after}
            onClick={() => send({ type: 'apply' })}
          >
            {words.apply}
          </Button>
          <Button
            variant="default"
            disabled={edit.step === 'applying'}
            onClick={() => send({ type: 'back' })}
          >
            {words.back}
          </Button>
        </>
      )
    case 'conflicted':
      return (
        <>
          <Button onClick={() => send({ type: 'keepMine' })}>{words.keepMine}</Button>
          <Button variant="default" onClick={() => send({ type: 'takeTheirs' })}>
            {words.takeTheirs}
          </Button>
        </>
      )
    case 'applied':
      return null
  }
}
