import { Alert, Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { drafts, warnBeforeUnload } from '../editor/drafts.js'
import { ageOf } from '../parts/time.js'
import { useEditorWords } from '../words/editor.js'
import { useWords } from '../words/use-words.js'
import { KeepsFocus } from '../writes/keeps-focus.js'

/** The fields of a form, which are kept while its reader is elsewhere on the page. */
export interface FormDraft<T> {
  readonly fields: T
  readonly set: (next: T | ((before: T) => T)) => void
  /** When the fields were filled in that the form began with, milliseconds since 1970; undefined where it began empty. */
  readonly restored: number | undefined
  /** The form begins anew. */
  readonly discard: () => void
  /** What is in it was stored: nothing is lost by leaving it. */
  readonly forget: () => void
}

/**
 * Fields of a form that outlive its screen, as the drafts of the editor do: in memory alone, because they may hold a kubeconfig. The browser asks
 * before it leaves a page with some.
 * @param key what the draft is kept by
 * @param start the form with nothing filled in
 */
export function useFormDraft<T>(key: string, start: T): FormDraft<T> {
  const kept = `form ${key}`
  const [beginning] = useState(start)
  const [found] = useState(() => drafts.of(kept))
  const [restored, setRestored] = useState(found?.at)
  const [fields, set] = useState<T>(() => (found ? (JSON.parse(found.text) as T) : beginning))
  useEffect(() => {
    const text = JSON.stringify(fields)
    if (text === JSON.stringify(beginning)) drafts.delete(kept)
    else if (text !== drafts.of(kept)?.text) drafts.keep(kept, { text, at: Date.now() })
  }, [kept, fields, beginning])
  useEffect(warnBeforeUnload, [])
  return {
    fields,
    set,
    restored,
    discard: () => {
      setRestored(undefined)
      set(beginning)
    },
    forget: () => drafts.delete(kept),
  }
}

/** Says that a form is filled in from before, and clears it. */
export function DraftNotice({
  of: { restored, discard },
  label,
}: {
  readonly of: Pick<FormDraft<unknown>, 'restored' | 'discard'>
  /** What the form is called. */
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
