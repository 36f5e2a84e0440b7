import { Command, CommanderError } from 'commander'

/** ` (Did you mean deployment?)` where a known word is close to the given one, else empty. The measure is Commander's own for commands. */
export function didYouMean(given: string, known: readonly string[]): string {
  const words = new Command()
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeErr: () => undefined })
  for (const word of known) words.command(word)
  try {
    words.parse(['--', given], { from: 'user' })
    return ''
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    const [suggestion] = /\(Did you mean .*\?\)/.exec(error.message) ?? []
    return suggestion ? ` ${suggestion}` : ''
  }
}
