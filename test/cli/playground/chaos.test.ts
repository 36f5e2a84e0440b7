import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ExitCode } from '../../../cli/exit-code.js'
import { chaos } from '../../../cli/playground/chaos.js'

let folder: string
let server: Server
let requests: string[]
let answer: { code: number; body: object }
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kairship-chaos-'))
  requests = []
  server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.writeHead(answer.code).end(JSON.stringify(answer.body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  write({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: 't' })
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true })
})

const write = (control: unknown) =>
  writeFileSync(join(folder, 'chaos.json'), typeof control === 'string' ? control : JSON.stringify(control))
const run = async (action: string, member?: string, files = folder) => {
  let said = ''
  const out = (text: string) => {
    said += text
  }
  const terminal = { out, err: () => undefined }
  const interrupted = new AbortController().signal
  const code = await chaos({ files }, { terminal, interrupted }, action, member)
  return [code, said]
}

it('sends the action for a member with the token of the file, and prints the new state', async () => {
  answer = { code: 200, body: { name: 'eu-west-a', faults: ['cut', 'slow'] } }
  expect(await run('slow', 'eu-west-a')).toEqual([ExitCode.ok, 'eu-west-a: cut, slow\n'])
  expect(requests).toEqual(['POST /members/eu-west-a/slow Bearer t'])
})

it('prints that a healed member is healthy', async () => {
  answer = { code: 200, body: { name: 'a', faults: [] } }
  expect(await run('heal', 'a')).toEqual([ExitCode.ok, 'a: healthy\n'])
})

it('lists members', async () => {
  answer = {
    code: 200,
    body: {
      members: [
        { name: 'a', faults: ['cut'] },
        { name: 'b', faults: [] },
      ],
    },
  }
  expect(await run('list')).toEqual([ExitCode.ok, 'MEMBER   CHAOS\na        cut\nb        healthy\n'])
})

it('encodes a member name as one path segment', async () => {
  answer = { code: 404, body: { message: 'no member' } }
  await expect(run('cut', '../x')).rejects.toThrow('no member')
  expect(requests).toEqual(['POST /members/..%2Fx/cut Bearer t'])
})

it.each([
  [404, 'no member is called "x"', ExitCode.notFound],
  [401, 'the token is asked for', ExitCode.failed],
])('fails with the error that the playground answers: %i', async (code, message, exitCode) => {
  answer = { code, body: { message } }
  await expect(run('cut', 'x')).rejects.toMatchObject({ message, exitCode })
})

it.each([
  ['burn', 'a', /chaos knows no burn: it is one of cut, slow, break, drain, crash, heal, list/],
  ['cut', undefined, /name the member to cut/],
  ['list', 'a', /list takes no member/],
])('%s %s is a usage error, and nothing is sent', async (action, member, message) => {
  await expect(run(action, member)).rejects.toMatchObject({
    message: expect.stringMatching(message),
    exitCode: ExitCode.usage,
  })
  expect(requests).toEqual([])
})

it('explains how to start a playground when none runs', async () => {
  await expect(run('cut', 'a', join(folder, 'nothing'))).rejects.toMatchObject({
    message: expect.stringMatching(
      /no playground runs in .*nothing: start one with "kairship playground", or/,
    ),
    exitCode: ExitCode.usage,
  })
})

it('reports a playground that has ended and left its file', async () => {
  write({ url: 'http://127.0.0.1:1', token: 't' })
  await expect(run('cut', 'a')).rejects.toThrow(/does not answer; it may have been killed/)
})

it.each([['{'], ['{"url": "x"}'], ['{"url": "http://127.0.0.1:1", "token": ""}']])(
  'refuses a file that no playground wrote: %s',
  async text => {
    write(text)
    await expect(run('list')).rejects.toThrow(/chaos.json was not written by a playground/)
  },
)
