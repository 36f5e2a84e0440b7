import { expect, it } from 'vitest'
import { chinese } from '../../console/words/server-zh.js'
import { englishTexts } from './english-in-source.js'
import { AFTER_THEIRS, SAMPLES, UNSAID } from './server-samples.js'

/** An English sentence has these between its words; Kubernetes' names do not. */
const GLUE = / (?:is|are|the|of|and|gives|not|or|by|to|that|which|it) /

/** Kairship's own part of a sentence as a Chinese page shows it; undefined where it shows the English one. */
const ownPart = (sentence: string, others?: string): string | undefined =>
  chinese
    .sentence(sentence, others)
    ?.filter(part => typeof part === 'string')
    .join('')

const isInChinese = (sentence: string, others?: string): boolean => {
  const own = ownPart(sentence, others) ?? ''
  return /\p{Script=Han}/u.test(own) && !GLUE.test(own)
}

it.each(SAMPLES)('a sentence of the server is translated: %s', sample => {
  expect([sample, isInChinese(sample)]).toEqual([sample, true])
})

it.each(AFTER_THEIRS)('the server’s text after Karmada’s words is translated: %s', after => {
  expect([after, isInChinese(`theirs${after}`, 'theirs')]).toEqual([after, true])
  expect([after, isInChinese(`Scheduling: theirs${after}`, 'theirs')]).toEqual([after, true])
})

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)

/** Values that stand in sentences. */
const VALUES = ['x1', '1', 'Deployment shop/web']

it('each text of the server’s source that pages show is translated, by itself or in a sample', () => {
  const without = englishTexts().filter(({ parts }) => {
    if (VALUES.some(value => isInChinese(parts.join(value)))) return false
    const text = new RegExp(parts.map(escaped).join('[^]*?'), 'i')
    return ![...SAMPLES, ...AFTER_THEIRS, ...UNSAID].some(sample => text.test(sample))
  })
  // A new sentence: its Chinese goes to console/words/*-zh.ts, and a whole one that has it to server-samples.ts.
  expect(without.map(({ file, parts }) => `${file}: ${parts.join('…')}`)).toEqual([])
})
