import { useEffect, useReducer, useRef } from 'react'
import { askBeforeLoss, type Draft, drafts } from './drafts.js'
import { type Base, type Edit, type EditEvent, editOf, reduceEdit, unsavedText } from './edit.js'
import type { EditSource } from './edit-source.js'

/** What an edit is of. */
export interface EditStart {
  /** What a draft is kept by: the instance and the object, or what is created. */
  readonly key: string
  readonly text: string
  /** A text to go on with in its place. */
  readonly draft?: Draft | undefined
  readonly base?: Base
  readonly source: EditSource
}

/**
 * An edit and what happens to it. Checking ends when the screen is left; applying does not, because a write that was sent takes effect
 * anyway. A text that was not applied stays as a draft.
 */
export function useEdit({ key, text, draft, base, source }: EditStart) {
  const [edit, send] = useReducer(reduceEdit, undefined, () => editOf(draft?.text ?? text, base))
  const sources = useRef(source)
  sources.current = source
  const { step } = edit

  // biome-ignore lint/correctness/useExhaustiveDependencies: each step begins its work once, with what the edit is then
  useEffect(() => {
    if (step === 'checking') {
      const left = new AbortController()
      sources.current.check(edit.text, edit.base, left.signal).then(send, ignoreLeft(left.signal, send))
      return () => left.abort()
    }
    if (step === 'applying')
      sources.current
        .apply(edit.text, edit.base)
        .then(send, error => send({ type: 'failed', problem: asError(error) }))
  }, [step])

  useEffect(() => {
    const unsaved = unsavedText(edit, text)
    if (unsaved === undefined) drafts.forget(key)
    else drafts.keep(key, { text: unsaved, at: Date.now(), ...(edit.base && { base: edit.base }) })
  }, [edit, key, text])

  useEffect(askBeforeLoss, [])

  return [edit, send] as const satisfies readonly [Edit, (event: EditEvent) => void]
}

const ignoreLeft = (signal: AbortSignal, send: (event: EditEvent) => void) => (error: unknown) => {
  if (!signal.aborted) send({ type: 'failed', problem: asError(error) })
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
