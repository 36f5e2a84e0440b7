import { EventEmitter } from 'node:events'
import { expect, it } from 'vitest'
import { aborted, interruption, onClosedOutput } from '../../../cli/program/interruption.js'

function pretended() {
  const exits: number[] = []
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) })
  return { process, exits, signal: interruption(process) }
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  it(`${name} stops the program in order`, async () => {
    const { process, exits, signal } = pretended()
    const ended = aborted(signal)
    expect(signal.aborted).toBe(false)
    process.emit(name)
    await ended
    await aborted(signal)
    expect(signal.reason.message).toBe(`interrupted by ${name}`)
    expect(exits).toEqual([])
  })

it('the second signal ends the process at once, with the conventional exit code', () => {
  const { process, exits } = pretended()
  process.emit('SIGTERM')
  process.emit('SIGINT')
  expect(exits).toEqual([130])
})

it('a closed standard output is reported once, and any other error of it is thrown', () => {
  const [out, err] = [new EventEmitter(), new EventEmitter()]
  let closed = 0
  onClosedOutput([out, err], () => closed++)
  const broken = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  out.emit('error', broken)
  out.emit('error', broken)
  err.emit('error', broken)
  expect(closed).toBe(1)
  expect(() => out.emit('error', Object.assign(new Error('disk full'), { code: 'ENOSPC' }))).toThrow(
    'disk full',
  )
})
