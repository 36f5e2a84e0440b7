import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { aborted, interruption } from '../../cli/interruption.js'

function pretended() {
  const exits: number[] = []
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) })
  return { process, exits, signal: interruption(process) }
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  it(`${name} asks for an orderly end`, async () => {
    const { process, exits, signal } = pretended()
    const ended = aborted(signal)
    expect(signal.aborted).toBe(false)
    process.emit(name)
    await ended
    await aborted(signal)
    expect(signal.reason.message).toBe(`interrupted by ${name}`)
    expect(exits).toEqual([])
  })

it('the second signal ends the process at once, with the code that shells expect', () => {
  const { process, exits } = pretended()
  process.emit('SIGTERM')
  process.emit('SIGINT')
  expect(exits).toEqual([130])
})
