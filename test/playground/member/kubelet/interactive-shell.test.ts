import { PassThrough, Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ContainerLog } from '../../../../playground/member/kubelet/container-log.js'
import { Files } from '../../../../playground/member/kubelet/files.js'
import { run } from '../../../../playground/member/kubelet/toy-shell.js'

describe('sh without a script', () => {
  /** Runs it with what is typed. @returns what it showed, and its exit code */
  async function shell(typed: string, terminal = true) {
    const stdin = new PassThrough()
    let shown = ''
    const stdout = new Writable({
      write(chunk, _, done) {
        shown += chunk
        done()
      },
    })
    const running = run(['sh'], {
      stdin,
      stdout,
      stderr: stdout,
      environment: { HOSTNAME: 'web-0' },
      log: new ContainerLog(() => 0),
      files: new Files(),
      ...(terminal && { terminal: { size: () => ({ columns: 100, rows: 30 }) } }),
      signal: new AbortController().signal,
    })
    stdin.end(typed)
    const code = await running
    return { shown, code }
  }

  it('shows what is typed, runs each line, and ends with the code of exit', async () => {
    expect(await shell('hostname\rexit 3\recho never\r')).toEqual({
      shown: '$ hostname\nweb-0\n$ exit 3\n',
      code: 3,
    })
  })

  it('takes back characters, drops a line at Ctrl-C, and ends at Ctrl-D on an empty line', async () => {
    expect(await shell('echo ab\x7fc\recho x\x03\x04echo never\r')).toEqual({
      shown: '$ echo ab\b \bc\nac\n$ echo x^C\n$ ',
      code: 0,
    })
  })

  it('knows the size of its window', async () => {
    expect((await shell('stty size\r\x04')).shown).toContain('\n30 100\n')
  })

  it('runs the lines that are piped into it without showing them', async () => {
    expect(await shell('echo one\nnonsense\n', false)).toEqual({
      shown: 'one\nsh: nonsense: not found\n',
      code: 127,
    })
  })
})
