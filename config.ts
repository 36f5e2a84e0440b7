import { apiSettings } from './config/api.js'
import { auditSettings } from './config/audit.js'
import { clientSettings } from './config/client.js'
import { consoleSettings } from './config/console.js'
import { controllerSettings } from './config/controllers.js'
import { generalSettings } from './config/general.js'
import { globalManagementSettings } from './config/global-management.js'
import { kubeconfigSettings } from './config/kubeconfig.js'
import { lockSettings } from './config/lock.js'
import { loginSettings } from './config/login.js'
import { playgroundSettings } from './config/playground.js'
import { roleSettings } from './config/roles.js'
import { serviceSettings } from './config/services.js'
import type { CommandName, Setting } from './config/setting.js'
import { workspaceSettings } from './config/workspaces.js'

export type { CommandName, Setting, Source } from './config/setting.js'

/**
 * Every setting there is, with names, allowed values, defaults and their reasons, in the order in which they are listed. Parsed
 * by `cli/load-config.ts`, shown by `--help`, listed in docs/configuration.md.
 */
export const settings = {
  ...generalSettings,
  ...controllerSettings,
  ...apiSettings,
  ...consoleSettings,
  ...auditSettings,
  ...serviceSettings,
  ...globalManagementSettings,
  ...playgroundSettings,
  ...clientSettings,
  ...kubeconfigSettings,
  ...lockSettings,
  ...roleSettings,
  ...workspaceSettings,
  ...loginSettings,
} as const

/** The name of a setting, which is also its key in the config file. */
export type SettingName = keyof typeof settings

/** All settings, parsed. Every command gets all of them and reads its own. */
export type Config = {
  readonly [Name in SettingName]: (typeof settings)[Name] extends Setting<infer T> ? T : never
}

/** The settings of a command when nothing is set. */
export function defaults(command: CommandName): Config {
  const entries: [string, Setting][] = Object.entries(settings)
  return Object.fromEntries(
    entries.map(([name, { default: value, defaultFor }]) => [name, defaultFor?.[command] ?? value]),
  ) as unknown as Config
}

/**
 * Checks how values of several settings fit together.
 * @returns sentences naming the settings by key; empty when all is well
 */
export function contradictions(config: Config): string[] {
  const found: string[] = []
  if (config.leaseDurationMs <= config.renewDeadlineMs)
    found.push(
      `leaseDurationMs (${config.leaseDurationMs}) must be greater than renewDeadlineMs (${config.renewDeadlineMs}), or two replicas could act at once`,
    )
  // client-go's rule: a renewal is retried with jitter of up to 20 %, and at least one retry must fit.
  if (config.renewDeadlineMs <= 1.2 * config.retryPeriodMs)
    found.push(
      `renewDeadlineMs (${config.renewDeadlineMs}) must be greater than 1.2 × retryPeriodMs (${config.retryPeriodMs}), or a leader would never get to retry`,
    )
  if ((config.tlsCertFile === undefined) !== (config.tlsKeyFile === undefined))
    found.push('tlsCertFile and tlsKeyFile must be set together')
  if (config.token !== undefined && config.tokenFile !== undefined)
    found.push('token and tokenFile exclude each other')
  if (config.loginClientId !== undefined && config.authenticationConfig === undefined)
    found.push('loginClientId needs authenticationConfig: people log in at one of its issuers')
  if (config.allNamespaces && config.inNamespace !== undefined)
    found.push('--all-namespaces and --namespace exclude each other')
  for (const name of ['metricsCaFile', 'metricsCredentialsFile'] as const)
    if (config[name] !== undefined && config.metricsUrl === undefined) found.push(`${name} needs metricsUrl`)
  if (config.metricsCredentialsFile !== undefined && config.metricsUrl && !isPrivate(config.metricsUrl))
    found.push('metricsCredentialsFile needs a metricsUrl with https://: a credential is sent over TLS only')
  return found
}

/** Whether what is sent to a URL cannot be read on the way: TLS, or this machine. */
const isPrivate = (url: string): boolean =>
  /^https:\/\//.test(url) || /^http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)(?::\d+)?(?:\/|$)/.test(url)
