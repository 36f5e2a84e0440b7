import { Alert, Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { drafts, warnBeforeUnload } from '../editor/drafts.js'
import { ageOf } from '../parts/time.js'
import { useEditorWords } from '../words/editor.js'
import { useWords } from '../words/use-words.js'
import { KeepsFocus } from '../writes/keeps-focus.js'

/** The fields of a form, kept while the user is on another screen. */
export interface FormDraft<T> {
  readonly fields: T
  readonly set: (next: T | ((before: T) => T)) => void
  /** When the restored draft was last changed, milliseconds since 1970; undefined where the form began empty. */
  readonly restored: number | undefined
  /** Empties the form. */
  readonly discard: () => void
  /** Deletes the draft, after the form was stored. */
  readonly forget: () => void
}

/**
 * Keeps the fields of a form when its screen is left, like the editor's drafts: only in memory, because they may hold a kubeconfig. The browser asks
 * before a reload loses a draft.
 * @param key of the draft
 * @param start the empty form
 */
export function useFormDraft<T>(key: string, start: T): FormDraft<T> {
  const kept = `form ${key}`
  const [state, setState] = useState(() => formOf(kept, start))
  // The router keeps a screen where only the parameters of its address change, such as the instance: that is another form.
  const form = state.kept === kept ? state : formOf(kept, start)
  if (form !== state) setState(form)
  const { beginning, fields, restored } = form
  useEffect(() => {
    const text = JSON.stringify(fields)
    if (text === JSON.stringify(beginning)) drafts.delete(kept)
    else if (text !== drafts.of(kept)?.text) drafts.keep(kept, { text, at: Date.now() })
  }, [kept, fields, beginning])
  useEffect(warnBeforeUnload, [])
  return {
    fields,
    set: next =>
      setState(before =>
        before.kept === kept ? { ...before, fields: isChange(next) ? next(before.fields) : next } : before,
      ),
    restored,
    discard: () => setState({ kept, beginning, fields: beginning, restored: undefined }),
    forget: () => drafts.delete(kept),
  }
}

/** The fields of one form. */
interface FormState<T> {
  /** The key of its draft. */
  readonly kept: string
  /** The empty form. */
  readonly beginning: T
  readonly fields: T
  readonly restored: number | undefined
}

/** A form as its draft has it, or empty. */
function formOf<T>(kept: string, beginning: T): FormState<T> {
  const found = drafts.of(kept)
  return { kept, beginning, fields: found ? (JSON.parse(found.text) as T) : beginning, restored: found?.at }
}

const isChange = <T,>(next: T | ((before: T) => T)): next is (before: T) => T => typeof next === 'function'

/** Says that a form was restored from a draft, with a button that empties it. */
export function DraftNotice({
  of: { restored, discard },
  label,
}: {
  readonly of: Pick<FormDraft<unknown>, 'restored' | 'discard'>
  /** The form's name. */
  readonly label: string
}) {
  const words = useEditorWords()
  const { locale } = useWords()
  return (
    <KeepsFocus step={restored} label={label}>
      {restored !== undefined && (
        <Alert color="blue" variant="outline" title={words.draft(ageOf(restored, Date.now(), locale))}>
          <Button size="xs" variant="default" onClick={discard}>
            {words.dropDraft}
          </Button>
        </Alert>
      )}
    </KeepsFocus>
  )
}
