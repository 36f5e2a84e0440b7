import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, highlightSpecialChars } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const mono = 'var(--mantine-font-family-monospace)'

/** The colour of field names, with enough contrast also on the colours of a comparison. */
const FIELDS =
  'light-dark(color-mix(in srgb, var(--mantine-color-teal-9) 70%, black), var(--mantine-color-teal-3))'

/** The page's colours in light and dark mode, with sizes relative to the user's font size. */
const surface = EditorView.theme({
  '&': {
    fontSize: 'var(--mantine-font-size-sm)',
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-default)',
  },
  '&.cm-focused': { outline: '2px solid var(--mantine-primary-color-filled)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: mono, lineHeight: '1.55' },
  '.cm-content': { caretColor: 'var(--mantine-color-text)' },
  '.cm-cursor': { borderLeftColor: 'var(--mantine-color-text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-dimmed)',
    border: 'none',
  },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--mantine-primary-color-filled) 7%, transparent)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--mantine-color-body)',
    color: 'var(--mantine-color-text)',
    border: '1px solid var(--mantine-color-default-border)',
    borderRadius: 'var(--mantine-radius-default)',
    boxShadow: 'var(--mantine-shadow-md)',
    maxWidth: '32rem',
  },
  '.cm-tooltip-autocomplete > ul': { fontFamily: mono },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--mantine-primary-color-filled)',
    color: 'var(--mantine-primary-color-contrast)',
  },
  '.cm-completionInfo, .cm-field-help': { padding: '8px 10px', whiteSpace: 'pre-wrap' },
  '.cm-panels': { backgroundColor: 'var(--mantine-color-body)', color: 'var(--mantine-color-text)' },
  '.cm-changedLine, .cm-insertedLine': {
    backgroundColor: 'color-mix(in srgb, var(--mantine-color-green-filled) 12%, transparent)',
  },
  '.cm-deletedChunk, &.cm-merge-a .cm-changedLine, .cm-deletedLine': {
    backgroundColor: 'color-mix(in srgb, var(--mantine-color-red-filled) 12%, transparent)',
  },
  '.cm-changedText, .cm-deletedText': {
    background: 'color-mix(in srgb, currentColor 18%, transparent)',
  },
  '.cm-collapsedLines': {
    background: 'var(--mantine-color-default-hover)',
    color: 'var(--mantine-color-dimmed)',
  },
  // Few fonts have CodeMirror's characters here.
  '.cm-collapsedLines::before, .cm-collapsedLines::after': { content: '"…"', margin: '0 6px' },
})

const colours = HighlightStyle.define([
  {
    tag: [tags.propertyName, tags.definition(tags.propertyName)],
    color: FIELDS,
  },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--mantine-color-text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--mantine-color-violet-text)' },
  { tag: tags.comment, color: 'var(--mantine-color-dimmed)', fontStyle: 'italic' },
  { tag: tags.meta, color: 'var(--mantine-color-dimmed)' },
])

/** CodeMirror's texts in Chinese. Its own are English. */
const chinese = {
  'Go to line': '跳转到行',
  go: '跳转',
  Find: '查找',
  Replace: '替换',
  next: '下一个',
  previous: '上一个',
  all: '全部',
  'match case': '区分大小写',
  'by word': '整词',
  regexp: '正则表达式',
  replace: '替换',
  'replace all': '全部替换',
  close: '关闭',
  'current match': '当前匹配',
  'on line': '所在行',
  Diagnostics: '问题',
  'No diagnostics': '没有问题',
  'Control character': '控制字符',
  '$ unchanged lines': '$ 行未更改',
  'Fold line': '折叠',
  'Unfold line': '展开',
  'folded code': '已折叠',
  Completions: '补全',
}

/** The nonce of this page's styles; CodeMirror adds styles at runtime. */
const nonce = () => document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

/** The extensions that all editors and comparisons share. @param locale of the user: `en` or `zh-CN` */
export const editorTheme = (locale: string): Extension => [
  EditorView.cspNonce.of(nonce()),
  // Makes read-only texts focusable, so that the keyboard can scroll them.
  EditorView.contentAttributes.of({ tabindex: '0' }),
  // Shows characters that change the writing direction or have no width: with them, the visible text would differ from the stored one.
  highlightSpecialChars(),
  surface,
  syntaxHighlighting(colours),
  ...(locale.startsWith('zh') ? [EditorState.phrases.of(chinese)] : []),
]
