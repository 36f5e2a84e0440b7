import { execFile, execFileSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CommandError } from '../../../cli/exit-code.js'
import { completion } from '../../../cli/program/completion.js'

const run = promisify(execFile)

/** The end of a script that prints what a shell offers for the last word of a line. */
const offer: Readonly<Record<string, (line: string) => string>> = {
  bash: line => `COMP_WORDS=(${quotedWords(line)})
COMP_CWORD=${line.split(' ').length - 1}
_kairship
printf '%s\\n' "\${COMPREPLY[@]}"`,
  // What bashcompinit does between zsh's completion and bash's function.
  zsh: line => `words=(${quotedWords(line)}) CURRENT=${line.split(' ').length}
COMP_WORDS=("\${words[@]}") COMP_CWORD=$((CURRENT - 1))
setopt noautoremoveslash ksharrays
compgen -F _kairship -- "\${words[CURRENT-1]}"`,
  fish: line => `complete -C '${line}'`,
}

const quotedWords = (line: string): string =>
  line
    .split(' ')
    .map(word => `'${word}'`)
    .join(' ')

const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  bash: ['--norc', '-c'],
  zsh: ['-f', '-c'],
  fish: ['--no-config', '-c'],
}

/** What a shell offers for the last word of a line, where a Kairship has two instances. */
async function offered(shell: string, line: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'completion-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  // Like the real one, which prints the title of the column unless the caller leaves it out.
  const program = `#!/bin/sh
[ "$1 $2" = 'get instances' ] || exit 2
case "$*" in *--no-headers*) ;; *) echo N ;; esac
echo eu-west
echo us-east
`
  await writeFile(join(folder, 'kairship'), program, { mode: 0o755 })
  const env = { PATH: `${folder}${delimiter}${process.env.PATH}`, HOME: folder }
  const script = `${completion(shell)}\n${offer[shell]?.(line)}`
  const started = run(shell, [...(argumentsOf[shell] ?? []), script], { env, cwd: folder })
  started.child.stdin?.end()
  const { stdout, stderr } = await started
  expect(stderr).toBe('')
  return (
    stdout
      .split('\n')
      .map(word => word.split('\t')[0] ?? '')
      // zsh itself keeps those that begin with the word, after bashcompinit.
      .filter(word => word !== '' && (shell !== 'zsh' || word.startsWith(line.split(' ').at(-1) ?? '')))
      .sort()
  )
}

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    // Not on this machine: its tests are skipped.
    return false
  }
}

describe.each(['bash', 'zsh', 'fish'])('completion in %s', shell => {
  const test = it.skipIf(!isInstalled(shell))

  test.each<[string, string[]]>([
    ['kairship ser', ['serve']],
    ['kairship get ', ['instances']],
    ['kairship completion ', ['bash', 'fish', 'zsh']],
    ['kairship describe instance us', ['us-east']],
    ['kairship describe inst us', ['us-east']],
    ['kairship describe instance eu-west us', []],
    ['kairship get instances eu-west u', ['us-east']],
    ['kairship get instance u', ['us-east']],
    ['kairship kubeconfig ', ['eu-west', 'us-east']],
    ['kairship get instances --no', ['--no-headers']],
    ['kairship get instances -w --no', ['--no-headers']],
    ['kairship kubeconfig eu-west --me', ['--merge']],
    ['kairship get instances -o ', []],
    ['kairship adopt ', []],
  ])('completes "%s"', async (line, words) => expect(await offered(shell, line)).toEqual(words))

  test('completes every command', async () => {
    expect(await offered(shell, 'kairship ')).toEqual(
      expect.arrayContaining(['playground', 'serve', 'get', 'delete']),
    )
  })
})

it('does not complete the value of a flag as a command in bash', async () =>
  expect(await offered('bash', 'kairship get -o wide instances us')).toEqual(['us-east']))

it.skipIf(!isInstalled('fish'))('completes the choices of a flag in fish', async () =>
  expect(await offered('fish', 'kairship serve --log-format ')).toEqual(['auto', 'json', 'text']),
)

it.each(['zsh', 'fish'])('the completion script for %s has every command', shell => {
  for (const word of ['playground', 'describe', 'kubeconfig', 'no-headers'])
    expect(completion(shell)).toContain(word)
})

it('another shell is refused with a list of the known ones', () => {
  expect(() => completion('csh')).toThrow(CommandError)
  expect(() => completion('csh')).toThrow('bash, zsh, fish')
})
