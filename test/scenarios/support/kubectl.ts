import { execFile, execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Paths of the kubectls to ask with: `KAIRSHIP_KUBECTL` holds a list of them; else the one on PATH, if there is one. */
export function kubectls(): string[] {
  const told = process.env.KAIRSHIP_KUBECTL
  const candidates = told
    ? told.split(delimiter)
    : (process.env.PATH ?? '').split(delimiter).map(folder => join(folder, 'kubectl'))
  const found = candidates.filter(isProgram)
  return told ? found : found.slice(0, 1)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** How a command ended, and what it said. */
export interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Where and how a kubectl is run. */
export interface RunOptions {
  readonly kubeconfig: string
  /** Home folder, where it keeps its caches. */
  readonly home: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Far above what a command takes: reaching it means that it hangs. */
const PATIENCE_MS = 240_000

/** Runs one kubectl command to its end. */
export function runKubectl(
  kubectl: string,
  words: readonly string[],
  { kubeconfig, home, input = '', env = {} }: RunOptions,
): Promise<Run> {
  return new Promise(resolve => {
    const child = execFile(
      kubectl,
      [...words],
      {
        env: { PATH: process.env.PATH, HOME: home, KUBECONFIG: kubeconfig, ...env },
        timeout: PATIENCE_MS,
        maxBuffer: 64 * 1024 * 1024,
      },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    )
    // A command that fails at once does not read what it is given.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

/** What `kairship login` is told for a kubectl: before 1.22 it knows credential plugins by an older version only. */
export function loginFlags(kubectl: string): string[] {
  const text = execFileSync(kubectl, ['version', '--client', '-o', 'json'], { encoding: 'utf8' })
  const minor = Number.parseInt(JSON.parse(text).clientVersion.minor, 10)
  return minor < 22 ? ['--exec-api-version', 'v1beta1'] : []
}
