import { setTimeout } from 'node:timers/promises'
import type { Config } from '../config.js'
import type { ClientContext } from './client/client.js'
import { resolveClient } from './client/client-config.js'
import { ownKubeconfig } from './client/kubeconfig-file.js'
import { mergeKubeconfig } from './client/merge-kubeconfig.js'
import { proxyKubeconfig } from './client/proxy-kubeconfig.js'
import { ExitCode } from './exit-code.js'
import { loginOfClient } from './login/login-of-client.js'
import { LoginStore } from './login/login-store.js'
import { chaos } from './playground/chaos.js'
import { printed } from './print/print.js'
import { completion } from './program/completion.js'
import type { Actions, ProcessContext, ServerActions } from './program/program.js'
import { versionText } from './program/version.js'
import { readIfThere } from './settings/read-file.js'

/** The commands that call a running Kairship. */
export function clientActions(context: ProcessContext): Omit<Actions, keyof ServerActions> {
  const {
    terminal: { out, err },
    interrupted: signal,
  } = context
  const store = new LoginStore()
  const resolve = (config: Config) =>
    resolveClient(config, readIfThere, undefined, () => store.latest()?.login)
  const withClient = async (
    config: Config,
    work: (context: ClientContext) => Promise<ExitCode>,
  ): Promise<ExitCode> => {
    const { createClient } = await import('./client/client.js')
    const resolved = resolve(config)
    if (resolved.note) err(`${resolved.note}\n`)
    const login = loginOfClient(resolved, store, signal)
    const client = createClient(resolved, config, login?.token)
    try {
      return await work({ client, out, err, signal, now: Date.now, pause })
    } finally {
      await client.close()
    }
  }
  /** For a call that is made by hand: with the token of the login, where that counts. */
  const withToken = async (config: Config) => {
    const resolved = resolve(config)
    const login = loginOfClient(resolved, store, signal)
    return login ? { ...resolved, token: await login.token() } : resolved
  }
  const loginUser = async (config: Config): Promise<object | undefined> => {
    const login = loginOfClient(resolve(config), store, signal)
    return login && (await import('./login/exec-user.js')).execUser(login.id, config.execApiVersion)
  }
  return {
    // Loaded when they are used: the generated messages take 150 ms of CPU (Node.js 20), a quarter of what a command takes to start.
    'get instances': (config, ...names) =>
      withClient(config, async it =>
        (await import('./instances/get-instances.js')).getInstances(it, config, names),
      ),
    'describe instance': (config, name = '') =>
      withClient(config, async it =>
        (await import('./instances/describe-instance.js')).describeInstance(it, config, name),
      ),
    'inspect instance': (config, name = '') =>
      withClient(config, async it =>
        (await import('./instances/inspect-instance.js')).inspectInstance(it, config, name),
      ),
    'playground chaos': (config, action = '', member) => chaos(config, context, action, member),
    adopt: (config, name = '') =>
      withClient(config, async it =>
        (await import('./instances/change-instances.js')).adoptInstance(it, config, name),
      ),
    'delete instance': (config, ...names) =>
      withClient(config, async it =>
        (await import('./instances/change-instances.js')).deleteInstances(it, config, names),
      ),
    kubeconfig: (config, instance = '') =>
      withClient(config, async ({ client }) => {
        const { issuedKubeconfig, kubeconfigOf } = await import('./client/instance-kubeconfig.js')
        const text =
          (await issuedKubeconfig(client, config, instance)) ??
          proxyKubeconfig(await kubeconfigOf(client, instance), resolve(config), await loginUser(config))
        if (config.merge) out(merged(text, instance))
        else out(text)
        return ExitCode.ok
      }),
    console: async config => {
      const { signInLink } = await import('./client/sign-in-link.js')
      out(`${await signInLink(await withToken(config))}\n`)
      err('It opens the console signed in as you, once, within ten minutes.\n')
      return ExitCode.ok
    },
    login: async config => {
      const { login, mayLogInTo } = await import('./login/login.js')
      return login(config, mayLogInTo(resolve(config)), { out, err, interrupted: signal, store })
    },
    logout: async config =>
      (await import('./login/logout.js')).logout(resolve(config), { out, interrupted: signal, store }),
    credential: async config =>
      (await import('./login/credential.js')).credential(config, { out, signal, store }),
    clusters: (config, ...names) =>
      withClient(config, async it => (await import('./objects/clusters.js')).listClusters(it, config, names)),
    workloads: (config, ...names) =>
      withClient(config, async it =>
        (await import('./objects/workloads.js')).listWorkloads(it, config, names),
      ),
    policies: (config, ...names) =>
      withClient(config, async it => (await import('./objects/policies.js')).listPolicies(it, config, names)),
    trace: (config, ...names) =>
      withClient(config, async it => (await import('./objects/trace.js')).traceObject(it, config, names)),
    explain: (config, ...names) =>
      withClient(config, async it =>
        (await import('./objects/placement.js')).explainPlacement(it, config, names),
      ),
    preview: (config, ...names) =>
      withClient(config, async it => (await import('./objects/preview.js')).previewFile(it, config, names)),
    whoami: config => withClient(config, async it => (await import('./access/whoami.js')).whoami(it, config)),
    'can-i': (config, ...names) =>
      withClient(config, async it => (await import('./access/can-i.js')).canI(it, config, names)),
    'who-can': (config, ...names) =>
      withClient(config, async it => (await import('./access/who-can.js')).whoCan(it, config, names)),
    lock: (config, ...names) =>
      withClient(config, async it => (await import('./access/locks.js')).lockAccess(it, config, names)),
    unlock: (config, ...names) =>
      withClient(config, async it => (await import('./access/locks.js')).unlockAccess(it, names)),
    locks: config =>
      withClient(config, async it => (await import('./access/locks.js')).listLocks(it, config)),
    roles: (config, ...names) =>
      withClient(config, async it => (await import('./access/roles.js')).listRoles(it, config, names)),
    'give-role': (config, ...names) =>
      withClient(config, async it => (await import('./access/roles.js')).giveRole(it, config, names)),
    'take-role': (config, ...names) =>
      withClient(config, async it => (await import('./access/roles.js')).takeRole(it, names)),
    'workspace list': (config, ...names) =>
      withClient(config, async it =>
        (await import('./access/workspaces.js')).listWorkspaces(it, config, names),
      ),
    'workspace bind': (config, ...names) =>
      withClient(config, async it =>
        (await import('./access/workspaces.js')).bindToWorkspace(it, config, names),
      ),
    'workspace unbind': (config, ...names) =>
      withClient(config, async it =>
        (await import('./access/workspaces.js')).unbindFromWorkspace(it, config, names),
      ),
    audit: (config, ...names) =>
      withClient(config, async it => (await import('./access/audit.js')).auditEvents(it, config, names)),
    rollback: (config, ...names) =>
      withClient(config, async it =>
        (await import('./objects/rollback.js')).rollbackWorkload(it, config, names),
      ),
    logs: (config, ...names) =>
      withClient(config, async it => (await import('./objects/logs.js')).workloadLogs(it, config, names)),
    completion: async (_config, shell = '') => {
      out(completion(shell))
      return ExitCode.ok
    },
    version: async ({ output }) => {
      const version = { kairship: versionText(), node: process.version }
      out(
        output === 'json'
          ? `${JSON.stringify(version)}\n`
          : (printed(version, output === 'name' ? 'table' : output) ??
              `kairship ${version.kairship} (Node.js ${version.node})\n`),
      )
      return ExitCode.ok
    },
  }
}

/** Adds a kubeconfig to the caller's own. @returns the line to print */
function merged(text: string, instance: string): string {
  const path = ownKubeconfig()
  const { context, isCurrent } = mergeKubeconfig(path, text, instance)
  const next = isCurrent ? 'it is the current one' : `use it: kubectl config use-context ${context}`
  return `context ${context} is in ${path}; ${next}\n`
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}
