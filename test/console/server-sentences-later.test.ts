import { expect, it } from 'vitest'
import { ServerSentences, type Translation } from '../../console/words/server-sentences.js'

const chinese: Translation = {
  sentence: text => (text === 'one' ? ['一'] : undefined),
  condition: () => undefined,
  meaning: reason => (reason === 'NotFound' ? '没有' : undefined),
}

/** What loads when a test says so. */
function loading() {
  const loads: { arrive: (translation: Translation) => void; fail: (cause: Error) => void }[] = []
  let told = 0
  const sentences = new ServerSentences(
    () => new Promise((arrive, fail) => loads.push({ arrive, fail })),
    () => {
      told += 1
    },
  )
  return { loads, sentences, told: () => told }
}

it('the translation is loaded once, with the first sentence, and reported when it is loaded', async () => {
  const { loads, sentences, told } = loading()
  expect(loads).toHaveLength(0)
  expect([sentences.translated('one'), sentences.translated('one')]).toEqual([undefined, undefined])
  expect(loads).toHaveLength(1)
  expect(told()).toBe(0)
  loads[0]?.arrive(chinese)
  await expect.poll(told).toBe(1)
  expect([sentences.translated('one'), sentences.translated('two')]).toEqual([['一'], undefined])
  expect([sentences.meaning('NotFound'), sentences.meaning('Odd')]).toEqual(['没有', undefined])
  expect(loads).toHaveLength(1)
})

it('a failed load is retried with the next sentence, and not before', async () => {
  const { loads, sentences, told } = loading()
  sentences.translated('one')
  loads[0]?.fail(new Error('the server is away'))
  await new Promise(setImmediate)
  expect(loads).toHaveLength(1)
  expect(sentences.translated('one')).toBeUndefined()
  expect(loads).toHaveLength(2)
  loads[1]?.arrive(chinese)
  await expect.poll(told).toBe(1)
  expect(sentences.translated('one')).toEqual(['一'])
})
