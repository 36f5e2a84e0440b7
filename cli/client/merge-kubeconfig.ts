import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { parse, parseDocument } from 'yaml'
import { z } from 'zod'
import { CommandError, ExitCode } from '../exit-code.js'

const named = z.looseObject({ name: z.string() })
const kubeconfig = z.looseObject({
  clusters: z.array(named).nullish(),
  users: z.array(named).nullish(),
  contexts: z.array(named).nullish(),
  'current-context': z.string().nullish(),
})

/** The kubeconfig that kubectl writes to: the first of $KUBECONFIG, else ~/.kube/config. */
export const ownKubeconfig = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string =>
  (environment.KUBECONFIG ?? '').split(delimiter).find(path => path !== '') ??
  join(homedir(), '.kube', 'config')

/**
 * Adds an instance's cluster, user and context to a kubeconfig, all named `kairship-<instance>`, in place of those of that name.
 * Everything else in the file stays. The current context changes only where there was none.
 * @param addition a kubeconfig with one cluster and one user
 * @returns the name of the context, and whether it is the current one
 * @throws CommandError when the file cannot be used, or kubectl is writing it
 */
export function mergeKubeconfig(
  path: string,
  addition: string,
  instance: string,
): { readonly context: string; readonly isCurrent: boolean } {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // A link stays one.
  const file = existsSync(path) ? realpathSync(path) : path
  return locked(file, () => {
    // The error below says what is wrong; the parser's own warnings would stand before it.
    const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : '', { logLevel: 'error' })
    const before = kubeconfig.safeParse(document.toJS() ?? {})
    if (document.errors.length > 0 || !before.success)
      throw new CommandError(`${path} is no kubeconfig: nothing was changed`, ExitCode.usage)
    const context = `kairship-${instance}`
    const added = kubeconfig.parse(parse(addition))
    const merge = (key: 'clusters' | 'users' | 'contexts', entry: object): void => {
      const others = (before.data[key] ?? []).filter(({ name }) => name !== context)
      document.set(key, [...others, { ...entry, name: context }])
    }
    if (document.contents === null) {
      document.set('apiVersion', 'v1')
      document.set('kind', 'Config')
    }
    merge('clusters', added.clusters?.[0] ?? {})
    merge('users', added.users?.[0] ?? {})
    merge('contexts', { context: { cluster: context, user: context } })
    const current = before.data['current-context'] || context
    document.set('current-context', current)
    // What another user or an interrupted run has put there is neither followed nor written to: the text holds a token.
    const written = `${file}.kairship`
    rmSync(written, { force: true })
    writeFileSync(written, document.toString(), { mode: 0o600, flag: 'wx' })
    renameSync(written, file)
    return { context, isCurrent: current === context }
  })
}

/** client-go's lock: a file that exists while one program writes. */
function locked<T>(file: string, work: () => T): T {
  const lock = `${file}.lock`
  try {
    closeSync(openSync(lock, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new CommandError(
      `${file} is being written by another program; delete ${lock} if there is none`,
      ExitCode.failed,
      { cause: error },
    )
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}
