import { useEffect, useReducer, useRef } from 'react'
import { type Draft, drafts, warnBeforeUnload } from './drafts.js'
import { type Base, type Edit, type EditEvent, editOf, reduceEdit, unsavedText } from './edit.js'
import type { EditSource } from './edit-source.js'

/** The start of an edit. */
export interface EditStart {
  /** The key of the draft: the instance and the object, or the title of a new one. */
  readonly key: string
  readonly text: string
  /** A draft that replaces the text. */
  readonly draft?: Draft | undefined
  readonly base?: Base
  readonly source: EditSource
}

/**
 * Runs an edit. Leaving the screen aborts a check but not an apply, because a sent write takes effect anyway. A text that was not applied is kept as
 * a draft.
 */
export function useEdit({ key, text, draft, base, source }: EditStart) {
  const [edit, send] = useReducer(reduceEdit, undefined, () => editOf(draft?.text ?? text, base))
  const sources = useRef(source)
  sources.current = source
  const { step } = edit

  // biome-ignore lint/correctness/useExhaustiveDependencies: each step starts its request once, with the edit of that moment
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
    if (unsaved === undefined) drafts.delete(key)
    else drafts.keep(key, { text: unsaved, at: Date.now(), ...(edit.base && { base: edit.base }) })
  }, [edit, key, text])

  useEffect(warnBeforeUnload, [])

  return [edit, send] as const satisfies readonly [Edit, (event: EditEvent) => void]
}

const ignoreLeft = (signal: AbortSignal, send: (event: EditEvent) => void) => (error: unknown) => {
  if (!signal.aborted) send({ type: 'failed', problem: asError(error) })
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)))
