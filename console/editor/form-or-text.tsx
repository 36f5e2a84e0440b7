import { Tabs } from '@mantine/core'
import { type ReactNode, useMemo } from 'react'
import { useEditorWords } from '../words/editor.js'
import type { Edit } from './edit.js'
import { RefusalsContext, refusalsOf } from './refusals.js'

/** The editor that is shown. */
export type EditedAs = 'form' | 'text'

/** Tabs with a form and the YAML of the same text. The form is disabled while the server checks the text. */
export function FormOrText({
  form,
  text,
  edit,
  shown,
  show,
}: {
  readonly form: ReactNode
  readonly text: ReactNode
  readonly edit: Edit
  readonly shown: EditedAs
  readonly show: (as: EditedAs) => void
}) {
  const words = useEditorWords()
  const isWriting = edit.step === 'editing'
  const problem = isWriting && edit.refused === edit.text ? edit.problem : undefined
  const refusals = useMemo(() => refusalsOf(problem), [problem])
  return (
    <Tabs value={shown} onChange={next => show(next === 'text' ? 'text' : 'form')} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="form">{words.form}</Tabs.Tab>
        <Tabs.Tab value="text">{words.yaml}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="form" pt="sm">
        <fieldset disabled={!isWriting} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <RefusalsContext value={refusals}>{form}</RefusalsContext>
        </fieldset>
      </Tabs.Panel>
      <Tabs.Panel value="text" pt="sm">
        {text}
      </Tabs.Panel>
    </Tabs>
  )
}
