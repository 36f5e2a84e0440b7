import { PassThrough, Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pack } from 'tar-stream'
import { expect, it } from 'vitest'
import { ContainerLog } from '../../../../playground/member/kubelet/container-log.js'
import { Files } from '../../../../playground/member/kubelet/files.js'
import { run } from '../../../../playground/member/kubelet/toy-shell.js'

/** Runs a command on these files. */
async function ran(files: Files, words: readonly string[], input: Readable = Readable.from([])) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const [out, problems] = [buffer(stdout), buffer(stderr)]
  const signal = new AbortController().signal
  const context = {
    stdin: input,
    stdout,
    stderr,
    environment: {},
    log: new ContainerLog(() => 0),
    files,
    signal,
  }
  const code = await run(words, context)
  stdout.end()
  stderr.end()
  return { code, bytes: await out, stdout: (await out).toString(), stderr: (await problems).toString() }
}

const archived = (entries: Readonly<Record<string, string | undefined>>): Readable => {
  const archive = pack()
  for (const [name, text] of Object.entries(entries))
    if (text === undefined) archive.entry({ name, type: 'directory' })
    else archive.entry({ name }, text)
  archive.finalize()
  return Readable.from(archive)
}

/** An archive that ends amid its file. */
async function* cutShort() {
  yield (await buffer(archived({ short: 'x'.repeat(100) }))).subarray(0, 520)
}

it('tar unpacks its own archives: files and folders, also empty ones', async () => {
  const files = new Files()
  const sent = archived({
    'site/': undefined,
    'site/index.html': '<p>',
    'site/empty/': undefined,
    'site/none': '',
  })
  expect(await ran(files, ['tar', '-xmf', '-', '-C', '/srv'], sent)).toMatchObject({ code: 0, stderr: '' })
  expect((await ran(files, ['cat', '/srv/site/index.html'])).stdout).toBe('<p>')
  expect((await ran(files, ['ls', '/srv/site'])).stdout).toBe('empty\nindex.html\nnone\n')

  const other = new Files()
  const { bytes, code } = await ran(files, ['tar', 'cf', '-', '/srv/site'])
  expect(code).toBe(0)
  await ran(other, ['tar', 'xf', '-'], Readable.from([bytes]))
  expect(other.below('/')).toEqual([
    ...['srv/', 'srv/site/', 'srv/site/empty/', 'srv/site/index.html', 'srv/site/none', 'tmp/'],
  ])
  expect(other.read('/srv/site/index.html')?.toString()).toBe('<p>')
})

it('names in an archive do not escape the target folder', async () => {
  const files = new Files()
  await ran(files, ['tar', 'xf', '-', '-C', '/srv'], archived({ '../../up': 'x', '/root': 'y' }))
  expect([
    files.isFile('/srv/up'),
    files.isFile('/srv/root'),
    files.isFile('/up'),
    files.isFile('/root'),
  ]).toEqual([...[true, true, false, false]])
})

it.each([
  ['an archive that is none', ['tar', 'xf', '-'], Readable.from([Buffer.alloc(1024, 7)]), 'tar archive'],
  ['an archive that is cut short', ['tar', 'xf', '-'], Readable.from(cutShort()), 'tar archive'],
  ['a file that is not there', ['tar', 'cf', '-', '/gone'], undefined, '/gone: Cannot stat'],
  ['an archive on a disk', ['tar', 'cf', 'x.tar', '/'], undefined, 'known here are'],
  ['nothing to pack', ['tar', 'cf', '-'], undefined, 'known here are'],
])('tar refuses %s with the reason', async (_, words, input, why) => {
  const { code, stderr } = await ran(new Files(), words, input)
  expect(code).toBe(2)
  expect(stderr).toContain(why)
})

it('a container stores eight mebibytes, and reports that it is full before it reads more', async () => {
  const files = new Files()
  const archive = pack()
  archive.entry({ name: 'large', size: 1e12 })
  const { code, stderr } = await ran(files, ['tar', 'xf', '-'], Readable.from(archive))
  expect([code, stderr]).toEqual([2, 'tar: No space left on device\n'])
  expect(files.free).toBe(8 * 1024 * 1024)
})

it('a container stores ten thousand folders', async () => {
  const files = new Files()
  const { code, stderr } = await ran(files, [
    'mkdir',
    '-p',
    ...Array.from({ length: 10_000 }, (_, at) => `/srv/${at}`),
  ])
  expect(code).toBe(1)
  expect(stderr).toContain('No space left on device')
  expect(await ran(files, ['rm', '-r', '/srv'])).toMatchObject({ code: 0 })
  expect(files.below('/')).toEqual(['tmp/'])
})

it.each([
  [['cat', '/gone'], 1, 'cat: /gone: No such file or directory\n'],
  [['cat', '/tmp'], 1, 'cat: /tmp: Is a directory\n'],
  [['ls', '/gone'], 1, 'ls: /gone: No such file or directory\n'],
  [['rm', '/gone'], 1, 'rm: /gone: No such file or directory\n'],
  [['rm', '-f', '/gone'], 0, ''],
  [['rm', '/tmp'], 1, 'rm: /tmp: is a directory\n'],
  [['test', '-d', '/tmp'], 0, ''],
  [['test', '-d', '/gone'], 1, ''],
  [['test', '-f', '/tmp'], 1, ''],
  [['test', '-e', '/tmp'], 0, ''],
  [['test', '-z', '/tmp'], 2, 'test: -d, -e and -f of one path are known here\n'],
  [['test', '-d'], 2, 'test: -d, -e and -f of one path are known here\n'],
])('%j exits with %i', async (words, code, stderr) => {
  expect(await ran(new Files(), words)).toMatchObject({ code, stderr })
})
