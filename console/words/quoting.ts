/** A part of a sentence in the reader's language: its own text, or the words of another as they came. */
export type Part = string | { readonly quoted: string }

/** Marks within a translated text. Texts of others that have these characters (private use, Unicode 23.5) are not translated. */
const [BEGIN, END] = ['\uE000', '\uE001']
const MARKS = /[\uE000-\uE002]/
const QUOTED = new RegExp(`${BEGIN}([^${END}]*)${END}`)

/** Stands for the words of another in a sentence that is translated. */
export const PLACEHOLDER = '\uE002'

/** Words of another in a translated sentence. */
export const quoted = (words: string): string => `${BEGIN}${words}${END}`

/**
 * A sentence of Kairship's in the reader's language. The words of others within it are never taken for Kairship's own: they are cut out before it is translated, and
 * put back as they came.
 * @param text what is translated
 * @param others the part of it that is in the words of another; '' for none
 * @param translate translates a sentence, in which `quoted` marks words of others
 * @returns undefined where it is not one of those that are known, or their words stand in it more than once
 */
export function translatedParts(
  text: string,
  others: string,
  translate: (sentence: string) => string | undefined,
): readonly Part[] | undefined {
  if (MARKS.test(text)) return undefined
  const around = others === '' ? [text] : text.split(others)
  // Which one is theirs cannot be known.
  if (around.length > 2) return undefined
  const sentence = around.join(PLACEHOLDER)
  // It is nobody's sentence but theirs.
  if (sentence === PLACEHOLDER) return undefined
  return translate(sentence)
    ?.split(QUOTED)
    .flatMap<Part>((part, index) => {
      if (index % 2 === 1) return { quoted: part.replaceAll(PLACEHOLDER, others) }
      return part.split(PLACEHOLDER).flatMap((own, gap) => (gap === 0 ? own : [{ quoted: others }, own]))
    })
    .filter(part => part !== '')
}
