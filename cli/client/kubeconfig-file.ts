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
import { parseDocument } from 'yaml'
import { z } from 'zod'
import { CommandError, ExitCode } from '../exit-code.js'

const named = z.looseObject({ name: z.string() })
/** A kubeconfig, as far as it is changed here. */
export const kubeconfig = z.looseObject({
  clusters: z.array(named).nullish(),
  users: z.array(named).nullish(),
  contexts: z.array(named).nullish(),
  'current-context': z.string().nullish(),
})

/** What a change of a kubeconfig leaves; parts that are absent stay as they are. */
export type KubeconfigChange = Partial<
  Record<'clusters' | 'users' | 'contexts', readonly object[]> & { readonly 'current-context': string }
>

/** The kubeconfig that kubectl writes to: the first of $KUBECONFIG, else ~/.kube/config. */
export const ownKubeconfig = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string =>
  (environment.KUBECONFIG ?? '').split(delimiter).find(path => path !== '') ??
  join(homedir(), '.kube', 'config')

/**
 * Changes a kubeconfig under client-go's lock; one that is not there is made. Everything that the change does not name stays.
 * @throws CommandError when the file cannot be used, or kubectl is writing it
 */
export function editKubeconfig(
  path: string,
  change: (before: z.output<typeof kubeconfig>) => KubeconfigChange,
): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // A link stays one.
  const file = existsSync(path) ? realpathSync(path) : path
  locked(file, () => {
    // The error below says what is wrong; the parser's own warnings would stand before it.
    const document = parseDocument(existsSync(file) ? readFileSync(file, 'utf8') : '', { logLevel: 'error' })
    const before = kubeconfig.safeParse(document.toJS() ?? {})
    if (document.errors.length > 0 || !before.success)
      throw new CommandError(`${path} is no kubeconfig: nothing was changed`, ExitCode.usage)
    if (document.contents === null) {
      document.set('apiVersion', 'v1')
      document.set('kind', 'Config')
    }
    for (const [key, value] of Object.entries(change(before.data))) document.set(key, value)
    // What another user or an interrupted run has put there is neither followed nor written to: the text holds a token.
    const written = `${file}.kairship`
    rmSync(written, { force: true })
    writeFileSync(written, document.toString(), { mode: 0o600, flag: 'wx' })
    renameSync(written, file)
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
