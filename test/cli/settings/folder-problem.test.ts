import { expect, it } from 'vitest'
import { CommandError, ExitCode } from '../../../cli/exit-code.js'
import { folderProblem } from '../../../cli/settings/folder-problem.js'

const refused = (code: string, path: string) =>
  Object.assign(new Error(`${code}: no, mkdir '${path}'`), { code, path })

it.each([
  ['the folder', 'data', refused('EACCES', 'data')],
  ['a file in it', 'data', refused('EROFS', 'data/ports.json.new')],
  ['a folder above it', '/root/a/b', refused('EACCES', '/root/a')],
])('an error at %s names the setting in one line', (_where, folder, error) => {
  const problem = folderProblem('--data', folder, error)
  expect(problem).toBeInstanceOf(CommandError)
  expect(problem).toMatchObject({
    message: `--data: ${folder} cannot be used: ${error.message}`,
    exitCode: ExitCode.usage,
  })
})

it('a folder in use is refused with the setting and the process id', () => {
  const error = Object.assign(new Error('data is in use by process 7'), { name: 'FolderInUseError' })
  expect(folderProblem('--files', 'data', error)).toMatchObject({
    message: '--files: data is in use by process 7',
    exitCode: ExitCode.failed,
  })
})

it.each([
  ['Node', 'ENOSPC: no space left on device, write'],
  [
    'an embedded server',
    'Internal error occurred: the write was refused: ENOSPC: no space left on device, write',
  ],
])('a full disk, reported as %s, names the setting and the folder', (_who, message) => {
  expect(folderProblem('--data', 'data', new Error(message))).toMatchObject({
    message:
      '--data: data cannot be written: ENOSPC: no space left on device, write; make room there, or name another folder',
    exitCode: ExitCode.failed,
  })
})

it.each([[new TypeError('a defect')], [refused('ENOENT', '/elsewhere')], ['thrown text']])(
  'another error is returned unchanged: %s',
  error => expect(folderProblem('--data', 'data', error)).toBe(error),
)

it('a full disk under one folder is not reported for another', () => {
  const ofData = folderProblem('--data', 'data', new Error('ENOSPC: no space left on device, write'))
  expect(folderProblem('--files', 'files', ofData)).toBe(ofData)
})
