import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { SessionUses } from '../../../http/console/session-uses.js'

it('ends the open calls of a session, once, and none of another', () => {
  const uses = new SessionUses()
  const ended: string[] = []
  uses.add('one', () => ended.push('a'))
  const leave = uses.add('one', () => ended.push('over already'))
  uses.add('two', () => ended.push('of another'))
  leave()
  uses.end('one')
  uses.end('one')
  expect(ended).toEqual(['a'])
  expect([uses.isEnded('one'), uses.isEnded('two')]).toEqual([true, false])
})

it('accepts that a call is removed while it is being ended', () => {
  const uses = new SessionUses()
  const leave = uses.add('one', () => leave())
  uses.end('one')
  uses.add('one', () => undefined)()
  expect(uses.isEnded('one')).toBe(true)
})

it('keeps open calls of a session when earlier ones are removed late', () => {
  const uses = new SessionUses()
  const ended: string[] = []
  const leaveLate = uses.add('one', () => ended.push('first'))
  uses.end('one')
  uses.add('one', () => ended.push('second'))
  leaveLate()
  uses.end('one')
  expect(ended).toEqual(['first', 'second'])
})

it('remembers the newest ended sessions', () => {
  const uses = new SessionUses()
  for (let n = 0; n <= 16_384; n += 1) uses.end(`${n}`)
  expect([uses.isEnded('0'), uses.isEnded('1'), uses.isEnded('16384')]).toEqual([false, true, true])
})

it('cuts off the open responses of a session, and keeps none that are closed, also if they closed before', async () => {
  const uses = new SessionUses()
  const destroyed: string[] = []
  const answers = Object.fromEntries(
    ['over before', 'over since', 'under way'].map(name => [name, new PassThrough()]),
  ) as Record<string, PassThrough>
  const end = async (name: string) => {
    const closed = once(answers[name]!, 'close')
    answers[name]!.destroy()
    await closed
  }
  await end('over before')
  for (const answer of Object.values(answers)) uses.cutOff('one', answer)
  await end('over since')
  for (const [name, answer] of Object.entries(answers))
    answer.destroy = () => {
      destroyed.push(name)
      return answer
    }
  uses.end('one')
  expect(destroyed).toEqual(['under way'])
})
