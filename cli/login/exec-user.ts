import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The part of a process that says how this program is called. */
export interface OwnProgram {
  /** Path of Node.js, and of the script that it runs. */
  readonly node: string
  readonly script: string
  readonly path: string
}

/**
 * The user of a kubeconfig whose credential is a login. The command is the plain name where that is this program, which an allow list of
 * kubectl can name (`credentialPluginAllowlist`); else Node.js with the script's path.
 * @param id of the login
 */
export function execUser(
  id: string,
  apiVersion: string,
  own: OwnProgram = { node: process.execPath, script: process.argv[1] ?? '', path: process.env.PATH ?? '' },
): object {
  const words = ['credential', '--login', id, '--exec-api-version', apiVersion]
  const program = isOnPath(own)
    ? { command: 'kairship', args: words }
    : { command: own.node, args: [own.script, ...words] }
  return {
    exec: {
      apiVersion: `client.authentication.k8s.io/${apiVersion}`,
      ...program,
      // It asks nothing: what kubectl reads from its standard input is left to kubectl.
      interactiveMode: 'Never',
      provideClusterInfo: false,
      installHint: 'This credential comes from "kairship login", and kairship is not there any more.',
    },
  }
}

/** Whether a shell that looks for `kairship` finds this program. */
function isOnPath({ script, path }: OwnProgram): boolean {
  const found = path
    .split(delimiter)
    .filter(folder => folder !== '')
    .map(folder => join(folder, 'kairship'))
    .find(isProgram)
  return found !== undefined && script !== '' && realpathSync(found) === realpathSync(script)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
