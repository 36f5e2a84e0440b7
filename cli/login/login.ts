import { ApiError } from '../../client/errors.js'
import { allPages } from '../../client/pages.js'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import { InstanceService } from '../../proto/gen/kairship/instance_pb.js'
import { SortBy, SortDir } from '../../proto/gen/kairship/types_pb.js'
import { Code } from '../../transcoding/code.js'
import { createClient } from '../client/client.js'
import type { ResolvedClient } from '../client/client-config.js'
import { ownKubeconfig } from '../client/kubeconfig-file.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { instanceList, instanceMessage } from '../instances/instance-message.js'
import { execUser } from './exec-user.js'
import { writeFleetContexts } from './fleet-contexts.js'
import { browserFlow, deviceFlow, type FlowContext } from './flows.js'
import { connectIssuer, type Granted } from './issuer-client.js'
import { readLoginDocument } from './login-document.js'
import { locked } from './login-lock.js'
import { type Login, type LoginStore, loginId } from './login-store.js'
import { openBrowser } from './open-browser.js'

/** Enough to find a second factor, seconds. */
const PATIENCE_S = 300

/** What `kairship login` needs of its process. */
export interface LoginContext {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  readonly interrupted: AbortSignal
  readonly store: LoginStore
  /** Opens the user's browser; the process's own way unless given. */
  readonly open?: FlowContext['open']
}

/**
 * `kairship login`: asks the Kairship for its issuer, has its user sign in there, keeps the login, and writes the kubeconfig.
 * @throws CommandError
 */
export async function login(
  config: Config,
  resolved: ResolvedClient,
  context: LoginContext,
): Promise<ExitCode> {
  const { out, err, store, interrupted } = context
  const { loginTimeout: seconds = PATIENCE_S } = config
  // Not AbortSignal.any with AbortSignal.timeout: Node.js 20 may collect the two as garbage, and the time is never over.
  const ending = new AbortController()
  const { signal } = ending
  const end = () => ending.abort()
  const timer = setTimeout(end, seconds * 1_000)
  interrupted.addEventListener('abort', end)
  if (interrupted.aborted) end()
  try {
    const { server, certificateAuthorityData } = resolved
    const { certificateAuthority, prompt, ...document } = await readLoginDocument(resolved, signal)
    err(`Logging in to ${server} at its issuer ${document.issuer} (client ${document.clientId}).\n`)
    const place = {
      ...document,
      ...(certificateAuthority !== undefined && { issuerCertificateAuthority: certificateAuthority }),
    }
    const granted = await signedIn(place, prompt, config, context, signal)
    const made: Login = {
      server,
      ...(certificateAuthorityData !== undefined && { certificateAuthorityData }),
      ...place,
      ...granted,
      loggedInAt: Date.now(),
    }
    // What the server does not accept is not kept: commands would use it.
    const instances = await visibleInstances(made, config, signal)
    const id = loginId(made)
    await locked(`${store.folder}/${id}.lock`, async () => store.write(made), signal)
    out(written(made, id, instances, config))
    return ExitCode.ok
  } catch (error) {
    if (interrupted.aborted)
      throw new CommandError('the login was interrupted: nothing was changed', ExitCode.failed, {
        cause: error,
      })
    if (signal.aborted)
      throw new CommandError(
        `nobody signed in within ${seconds} s: run it again, or give it longer with --timeout`,
        ExitCode.timedOut,
        { cause: error },
      )
    throw error
  } finally {
    clearTimeout(timer)
    interrupted.removeEventListener('abort', end)
  }
}

/**
 * A server that only a file of the working folder names may be logged in to on this machine alone: whoever put the file there would get the
 * token of a person who is signed in at the issuer already, and notices nothing.
 * @throws CommandError
 */
export function mayLogInTo(resolved: ResolvedClient): ResolvedClient {
  const { hostname } = new URL(resolved.server)
  if (!resolved.isServerFound || /^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname)) return resolved
  throw new CommandError(
    `${resolved.namedBy} names ${resolved.server}: if you trust this server, name it with --server`,
    ExitCode.usage,
  )
}

async function signedIn(
  place: Parameters<typeof connectIssuer>[0],
  prompt: string | undefined,
  { device, noBrowser }: Config,
  { err, open = openBrowser }: LoginContext,
  signal: AbortSignal,
): Promise<Granted> {
  const issuer = await connectIssuer(place)
  try {
    const flow = {
      err,
      signal,
      ...(prompt !== undefined && { prompt }),
      open: noBrowser ? async () => false : open,
    }
    return await (device ? deviceFlow : browserFlow)(issuer, flow)
  } finally {
    await issuer.close()
  }
}

/** The names of all instances that the login's user may see. */
async function visibleInstances(
  { server, certificateAuthorityData, idToken }: Login,
  config: Config,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const client = createClient(
    { server, token: idToken, ...(certificateAuthorityData !== undefined && { certificateAuthorityData }) },
    config,
  )
  try {
    const instances = jsonClient(InstanceService, client)
    const found = await allPages(async page =>
      instanceList.parse(
        await instances.listInstances(
          { sortBy: SortBy.field_name, sortDir: SortDir.asc, ...page },
          { signal },
        ),
      ),
    )
    return found.map(raw => instanceMessage.parse(raw).metadata.name)
  } catch (error) {
    // Without any right there is nothing to see yet; the login itself is good. Who is locked out is told so, and keeps the contexts.
    if (error instanceof CommandError && hasNoRight(error)) return []
    throw error
  } finally {
    await client.close()
  }
}

const hasNoRight = ({ cause }: CommandError): boolean =>
  cause instanceof ApiError && cause.code === Code.PERMISSION_DENIED && cause.reason !== 'AccessLocked'

/** Writes the contexts. @returns what to print */
function written(made: Login, id: string, instances: readonly string[], config: Config): string {
  const path = config.loginKubeconfig ?? ownKubeconfig()
  const { contexts, removed, current } = writeFleetContexts(path, {
    server: made.server,
    certificateAuthorityData: made.certificateAuthorityData,
    instances,
    user: execUser(id, config.execApiVersion),
  })
  const gone =
    removed.length === 0 ? '' : `Removed, because you cannot see their instances: ${removed.join(', ')}\n`
  const greeting = `Logged in to ${made.server} as ${made.user}.\n`
  if (contexts.length === 0)
    return `${greeting}${gone}You may see no instance yet. Ask for a role, and run "kairship login" again.\n`
  const [first = ''] = contexts
  const next = contexts.includes(current ?? '')
    ? `The current context is ${current}.`
    : `Use one of them: kubectl config use-context ${first}`
  return `${greeting}${gone}${path} has ${contexts.length} context${contexts.length === 1 ? '' : 's'}: ${contexts.join(', ')}\n${next}\n`
}
