import { expect, it } from 'vitest'
import { type Part, PLACEHOLDER, quoted, translatedParts } from '../../console/words/quoting.js'

/** A translation that quotes what stands before ` says `. */
const translate = (sentence: string): string => {
  const [name = '', rest = ''] = sentence.split(' says ')
  return rest === '' ? sentence : `${quoted(name)}说${rest}`
}

it.each<[string, string, string, readonly Part[]]>([
  ['what it quotes itself', 'north says no', '', [{ quoted: 'north' }, '说no']],
  [
    'the words of another',
    'north says it is away',
    'it is away',
    [{ quoted: 'north' }, '说', { quoted: 'it is away' }],
  ],
  ['the words of another within what it quotes', 'north says no', 'nor', [{ quoted: 'north' }, '说no']],
])('a translated sentence marks %s', (_what, text, others, parts) => {
  expect(translatedParts(text, others, translate)).toEqual(parts)
})

it.each<[string, string, string]>([
  ['has a mark of what is quoted', 'north says \uE000no', ''],
  ['has a mark of the end of what is quoted', 'north says no\uE001', ''],
  ['has a mark of the words of another', `north says ${PLACEHOLDER}`, ''],
  ['has the words of another twice, so that ours are not known from theirs', 'no says no', 'no'],
  ['is the words of another alone', 'north says no', 'north says no'],
])('a text is not translated where it %s', (_how, text, others) => {
  expect(translatedParts(text, others, translate)).toBeUndefined()
})
