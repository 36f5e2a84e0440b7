import { describe, expect, it } from 'vitest'
import { addressOf, runs, terminalSearch } from '../../console/terminal/terminal-search.js'

const pod = { cluster: 'north', namespace: 'default', pod: 'web' }

describe('the address of a terminal', () => {
  it.each<[string, Record<string, unknown>, boolean]>([
    ['no command', pod, true],
    ['a shell', { ...pod, command: 'sh' }, true],
    ['a command', { ...pod, command: 'rm -rf /data' }, false],
    ['a shell with a command', { ...pod, command: 'sh -c reboot' }, false],
  ])('with %s', (_what, search, isRun) => {
    expect(runs(terminalSearch(search), undefined)).toBe(isRun)
  })

  it('runs what its reader has started, and nothing of the address before', () => {
    const [before, after] = [
      terminalSearch({ ...pod, command: 'sh' }),
      terminalSearch({ ...pod, command: 'env' }),
    ]
    const started = { address: addressOf(after), attempt: 1 }
    expect(runs(before, started)).toBe(false)
    expect(runs(after, started)).toBe(true)
    expect(runs({ ...after, pod: 'other' }, started)).toBe(false)
  })
})
