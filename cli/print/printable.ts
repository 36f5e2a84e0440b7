// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal obeys; a tab and a line's end are text
const CONTROL = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g

const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * A text without the characters that a terminal obeys: a person or a program that writes a description of an instance, serves its control plane, or
 * stands in a server's place could otherwise clear the screen, show lines that are not there, or hide some. They are written as JSON and
 * YAML write them.
 */
export const printable = (text: string): string => text.replace(CONTROL, escaped)

/** A text that stays on the line it is printed in: a second one could look like another row. */
export const oneLine = (text: string): string =>
  text.replace(/[\n\t]/g, character => (character === '\n' ? '\\n' : '\\t'))

/** The outputs of a process, as far as this needs them. */
interface Outputs {
  readonly stdout: { write(text: string): unknown }
  readonly stderr: { write(text: string): unknown }
}

/** Writes what commands print, for a terminal to show and never to obey. */
export const printingTo = ({
  stdout,
  stderr,
}: Outputs): { readonly out: (text: string) => void; readonly err: (text: string) => void } => ({
  out: text => void stdout.write(printable(text)),
  err: text => void stderr.write(printable(text)),
})
