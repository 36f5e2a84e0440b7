import { describe, expect, it } from 'vitest'
import { watchLines } from '../../../actors/kube/watch-lines.js'

const event = (name: string) => JSON.stringify({ type: 'ADDED', object: { metadata: { name } } })

async function read(chunks: readonly string[], maxAnswerBytes = 1_000) {
  const body = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk)
  })()
  const names: unknown[] = []
  for await (const { object } of watchLines(body, { maxAnswerBytes, maxAnswerValues: 100 }))
    names.push((object as { metadata: { name: string } }).metadata.name)
  return names
}

describe('the lines of a watch', () => {
  it('are events, and empty ones are none', async () => {
    expect(await read([`\n${event('a')}\n\n`, '\n', `${event('b')}\n`])).toEqual(['a', 'b'])
  })

  it('may be as long as an answer, in as many parts as they come', async () => {
    const [a, b] = [event('a'), event('b')]
    const parts = [a.slice(0, 10), a.slice(10), '\n', b.slice(0, 10), b.slice(10), '\n']
    expect(await read(parts, a.length)).toEqual(['a', 'b'])
    await expect(read(parts, a.length - 1)).rejects.toThrow(`larger than ${a.length - 1} bytes`)
  })

  it('are whole at their end', async () => {
    await expect(read([`${event('a')}\n`, '{'])).rejects.toThrow('cut in the middle of an event')
  })
})
