import '@xterm/xterm/css/xterm.css'
import './terminal.css'
import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, Terminal } from '@xterm/xterm'
import { styleNonce } from '../parts/style-nonce.js'

/** Lines above the screen that can be scrolled back to. */
const SCROLLBACK = 5_000

/** Shows a terminal in an element. @returns it, and what makes it as large as its element */
export function showTerminal(
  element: HTMLElement,
  theme: ITheme,
  label: string,
): { readonly terminal: Terminal; readonly fill: () => void } {
  const terminal = new Terminal({
    scrollback: SCROLLBACK,
    fontSize: 13,
    fontFamily: getComputedStyle(element).getPropertyValue('--mantine-font-family-monospace'),
    cursorBlink: false,
    screenReaderMode: true,
    minimumContrastRatio: 4.5,
    theme,
  })
  const addon = new FitAddon()
  terminal.loadAddon(addon)
  withNonce(() => terminal.open(element))
  terminal.textarea?.setAttribute('aria-label', label)
  return { terminal, fill: () => addon.fit() }
}

/** Lets styles that are made meanwhile pass the page’s policy: xterm 6 makes its own, and has no setting for a nonce. */
function withNonce(make: () => void): void {
  const original = document.createElement.bind(document)
  document.createElement = ((name: string, options?: ElementCreationOptions) => {
    const element = original(name, options)
    if (name === 'style') element.nonce = styleNonce()
    return element
  }) as typeof document.createElement
  try {
    make()
  } finally {
    // What was written over is the prototype's.
    delete (document as Partial<Document>).createElement
  }
}
