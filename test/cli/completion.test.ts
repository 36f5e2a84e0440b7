import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { completion } from '../../cli/completion.js'
import { CommandError } from '../../cli/exit-code.js'

const run = promisify(execFile)

/** What bash offers for the last word of a line. */
async function offered(line: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'completion-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Stands for a Kairship with two instances.
  await writeFile(join(folder, 'kairship'), '#!/bin/sh\necho eu-west\necho us-east\n', { mode: 0o755 })
  const words = line.split(' ')
  const script = `${completion('bash')}
COMP_WORDS=(${words.map(word => `'${word}'`).join(' ')})
COMP_CWORD=${words.length - 1}
_kairship
printf '%s\\n' "\${COMPREPLY[@]}"`
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}` }
  const { stdout } = await run('bash', ['-c', script], { env })
  return stdout.split('\n').filter(word => word !== '')
}

describe('completion in bash', () => {
  it.each<[string, string[]]>([
    ['kairship ser', ['serve']],
    ['kairship get ', ['instances']],
    ['kairship completion ', ['bash', 'fish', 'zsh']],
    ['kairship describe instance us', ['us-east']],
    ['kairship get instances eu-west u', ['us-east']],
    ['kairship kubeconfig ', ['eu-west', 'us-east']],
    ['kairship get instances --no', ['--no-headers']],
    ['kairship kubeconfig eu-west --me', ['--merge']],
    ['kairship get instances -o ', []],
    ['kairship adopt ', []],
  ])('of "%s"', async (line, words) => expect(await offered(line)).toEqual(words))

  it('offers every command', async () => {
    expect(await offered('kairship ')).toEqual(
      expect.arrayContaining(['playground', 'serve', 'get', 'delete']),
    )
  })
})

it.each(['zsh', 'fish'])('there is one for %s with every command', shell => {
  for (const word of ['playground', 'describe', 'kubeconfig', 'no-headers'])
    expect(completion(shell)).toContain(word)
})

it('another shell is refused with those there are', () => {
  expect(() => completion('csh')).toThrow(CommandError)
  expect(() => completion('csh')).toThrow('bash, zsh, fish')
})
