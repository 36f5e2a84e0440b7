import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { MergeView, unifiedMergeView } from '@codemirror/merge'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef } from 'react'
import { useWords } from '../../words/use-words.js'
import { PLAIN_ABOVE } from './code-field.js'
import { editorTheme } from './theme.js'

/** The time for an exact comparison, milliseconds; after it the texts are compared line by line. */
const COMPARING_MS = 300
/** Lines around a change. */
const AROUND = 4

export interface ComparisonProps {
  readonly before: { readonly label: string; readonly text: string }
  readonly after: {
    readonly label: string
    readonly text: string
    /** Absent where it is read-only. */
    readonly change?: (text: string) => void
  }
}

/** Two texts and their differences: side by side, or below each other in a narrow window. */
export function Comparison({ before, after }: ComparisonProps) {
  const { locale } = useWords()
  const box = useRef<HTMLDivElement>(null)
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false })
  const change = useRef(after.change)
  change.current = after.change
  const isEdited = after.change !== undefined
  // While the text is edited, the editor has its newest version.
  const text = useRef(after.text)
  text.current = after.text
  const shown = isEdited ? undefined : after.text

  // biome-ignore lint/correctness/useExhaustiveDependencies: a read-only text is shown anew when it changes
  useEffect(() => {
    if (!box.current) return
    const isPlain = Math.max(before.text.length, text.current.length) > PLAIN_ABOVE
    const both = [editorTheme(locale), lineNumbers(), EditorView.lineWrapping, isPlain ? [] : yaml()]
    const left: Extension = [
      both,
      EditorState.readOnly.of(true),
      EditorView.contentAttributes.of({ 'aria-label': before.label, tabindex: '0' }),
    ]
    const right: Extension = [
      both,
      EditorState.readOnly.of(!isEdited),
      EditorView.contentAttributes.of({ 'aria-label': after.label, tabindex: '0' }),
      isEdited ? [history(), keymap.of([...defaultKeymap, ...historyKeymap])] : [],
      EditorView.updateListener.of(update => {
        if (update.docChanged) change.current?.(update.state.doc.toString())
      }),
    ]
    const differences = {
      collapseUnchanged: { margin: AROUND, minSize: AROUND + 2 },
      diffConfig: { timeout: COMPARING_MS, scanLimit: isPlain ? 50 : 500 },
      gutter: true,
    }
    const view = isWide
      ? new MergeView({
          ...differences,
          parent: box.current,
          a: { doc: before.text, extensions: left },
          b: { doc: text.current, extensions: right },
          ...(isEdited && { revertControls: 'a-to-b' as const }),
        })
      : new EditorView({
          parent: box.current,
          doc: text.current,
          extensions: [
            right,
            unifiedMergeView({ ...differences, original: before.text, mergeControls: isEdited }),
          ],
        })
    return () => view.destroy()
  }, [locale, isWide, isEdited, before.label, before.text, after.label, shown])

  return <div ref={box} className="code" />
}
