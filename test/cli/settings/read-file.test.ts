import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { readIfThere } from '../../../cli/settings/read-file.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-file-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it('a file is read, and one that is missing is undefined', async () => {
  await writeFile(join(folder, 'file'), 'text')
  expect([readIfThere(join(folder, 'file')), readIfThere(join(folder, 'missing'))]).toEqual([
    'text',
    undefined,
  ])
})

it('a folder in place of a file is a usage error that names it', () => {
  const reading = () => readIfThere(folder)
  expect(reading).toThrow(CommandError)
  expect(reading).toThrow(expect.objectContaining({ exitCode: ExitCode.usage }))
  expect(reading).toThrow(new RegExp(`^${folder} cannot be read: EISDIR`))
})
