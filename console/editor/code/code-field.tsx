import { closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { yaml } from '@codemirror/lang-yaml'
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from '@codemirror/language'
import { type Diagnostic, lintKeymap, setDiagnostics } from '@codemirror/lint'
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search'
import { Compartment, EditorState, Transaction } from '@codemirror/state'
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { useWords } from '../../words/use-words.js'
import { type SchemaLookup, schemaHelp } from './schema-help.js'
import { editorTheme } from './theme.js'

/** Texts with more characters have no highlighting and no help, which would make typing slow. */
export const PLAIN_ABOVE = 1_000_000

export interface CodeFieldProps {
  readonly label: string
  readonly text: string
  /** Absent where the text is read-only. */
  readonly change?: (text: string) => void
  readonly lookup?: SchemaLookup
  /** Problems at their places. */
  readonly marks?: readonly Mark[]
}

export interface Mark {
  readonly from: number
  readonly to: number
  readonly message: string
  readonly isError: boolean
}

/** A YAML editor or viewer. Tab leaves the field, as in every other field, so that the keyboard is not trapped. */
export function CodeField({ label, text, change, lookup, marks = [] }: CodeFieldProps) {
  const { locale } = useWords()
  const box = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  // The editor is editor once, so it calls the props of the last render by this ref.
  const calls = useRef({ change, lookup })
  calls.current = { change, lookup }
  const first = useRef(text)
  first.current = text
  const isPlain = text.length > PLAIN_ABOVE

  useEffect(() => {
    if (!box.current) return
    const editing = new Compartment()
    const editor = new EditorView({
      parent: box.current,
      doc: first.current,
      extensions: [
        editorTheme(locale),
        lineNumbers(),
        history(),
        drawSelection(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        editing.of(EditorState.readOnly.of(calls.current.change === undefined)),
        isPlain
          ? []
          : [
              yaml(),
              foldGutter(),
              indentOnInput(),
              bracketMatching(),
              closeBrackets(),
              highlightSelectionMatches(),
              schemaHelp(async (...kind) => calls.current.lookup?.(...kind)),
            ],
        keymap.of([
          ...closeBracketsKeymap,
          ...defaultKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...foldKeymap,
          ...completionKeymap,
          ...lintKeymap,
        ]),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (!docChanged || transactions.some(each => each.annotation(Transaction.remote))) return
          calls.current.change?.(state.doc.toString())
        }),
      ],
    })
    view.current = editor
    return () => editor.destroy()
  }, [label, locale, isPlain])

  useEffect(() => {
    const shown = view.current
    if (!shown || shown.state.doc.toString() === text) return
    shown.dispatch({
      changes: { from: 0, to: shown.state.doc.length, insert: text },
      annotations: Transaction.remote.of(true),
    })
  }, [text])

  useEffect(() => {
    const shown = view.current
    if (!shown) return
    const end = shown.state.doc.length
    const diagnostics: Diagnostic[] = marks.map(({ from, to, message, isError }) => ({
      from: Math.min(from, end),
      to: Math.min(Math.max(to, from), end),
      severity: isError ? 'error' : 'warning',
      message,
    }))
    shown.dispatch(setDiagnostics(shown.state, diagnostics))
  }, [marks])

  return <div ref={box} className="code" />
}
