import '@xterm/xterm/css/xterm.css'
import './terminal.css'
import { FitAddon } from '@xterm/addon-fit'
import { type ITheme, Terminal } from '@xterm/xterm'
import { styleNonce } from '../parts/style-nonce.js'

/** Lines above the visible ones that are kept. */
const SCROLLBACK = 5_000

/** Opens a terminal in an element. @returns the terminal, and a function that fits it to its element */
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

/** Gives the page's nonce to style elements that `make` creates. xterm 6 creates some and has no option for a nonce. */
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
    // Removes the override, which was set on the document; the original is on its prototype.
    delete (document as Partial<Document>).createElement
  }
}
