import { CommandError, ExitCode } from '../exit-code.js'
import { didYouMean } from './did-you-mean.js'
import { kindWord } from './object-argument.js'

/** The objects that the words of a command line name. */
export interface ObjectNames {
  /** Whether an object is named; all are where there are no words. */
  has(kind: string, name: string): boolean
  /** The words that name none of these objects. */
  missingIn(found: readonly { readonly kind: string; readonly name: string }[]): readonly string[]
}

/**
 * Reads `web` and, as kubectl writes them, `deployment/web` and `deployment.apps/web`.
 * @param kinds that a command lists
 * @throws CommandError for a kind that it does not list
 */
export function objectNames(words: readonly string[], kinds: readonly string[]): ObjectNames {
  const wanted = words.map(word => {
    const [name = '', type, ...more] = word.split('/').reverse()
    const kind = type === undefined ? undefined : kinds.find(each => each.toLowerCase() === kindWord(type))
    if ((type !== undefined && !kind) || name === '' || more.length > 0) throw unknownKind(word, kinds)
    return { word, name, kind }
  })
  const names = (one: (typeof wanted)[number], kind: string, name: string): boolean =>
    one.name === name && (one.kind === undefined || one.kind === kind)
  return {
    has: (kind, name) => wanted.length === 0 || wanted.some(one => names(one, kind, name)),
    missingIn: found =>
      wanted.filter(one => !found.some(({ kind, name }) => names(one, kind, name))).map(({ word }) => word),
  }
}

function unknownKind(word: string, kinds: readonly string[]): CommandError {
  const known = kinds.map(kind => kind.toLowerCase())
  const hint = didYouMean(word.split('/')[0] ?? '', known)
  return new CommandError(
    `${JSON.stringify(word)} names no object that is listed here${hint}: write NAME, or TYPE/NAME with one of ${known.join(', ')}`,
    ExitCode.usage,
  )
}
