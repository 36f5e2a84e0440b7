import { milliseconds, path, serviceUrl } from './kinds.js'
import { acting, answering, setting } from './setting.js'

/** Settings of how role bindings come from Global Management. docs/global-management.md says how they are used. */
export const globalManagementSettings = {
  roleBindingWebhookKeysFile: setting({
    kind: path,
    default: undefined,
    group: 'Global Management',
    commands: answering,
    help: 'secrets that sign deliveries of role bindings, one whsec_<base64> a line; read again when it changes',
    why: 'without it there is no webhook: Global Management writes InstanceRoleBindings and WorkspaceRoleBindings itself',
  }),
  roleBindingsUrl: setting({
    kind: serviceUrl,
    default: undefined,
    group: 'Global Management',
    commands: acting,
    help: 'URL of the list of all role bindings, from which the leader repairs what deliveries missed',
    why: 'without it nothing is repaired, and nothing needs to be where Global Management writes the objects itself',
  }),
  roleBindingsCaFile: setting({
    kind: path,
    default: undefined,
    group: 'Global Management',
    commands: acting,
    help: 'PEM authorities that vouch for roleBindingsUrl; read again when it changes',
    why: 'without it the authorities of Node.js; the certificate is always verified',
  }),
  roleBindingsCredentialsFile: setting({
    kind: path,
    default: undefined,
    group: 'Global Management',
    commands: acting,
    help: 'credential for roleBindingsUrl: YAML or JSON with "token", or "username" and "password"; read again when it changes',
    why: 'a file, because others can read a process’s arguments, and a mounted Secret is replaced while it runs',
  }),
  roleBindingsSyncMs: setting({
    kind: milliseconds(1_000, 86_400_000),
    default: 300_000,
    group: 'Global Management',
    commands: acting,
    help: 'how often the whole list is compared',
    why: 'a delivery that was lost gives or leaves a right for five minutes at most',
  }),
} as const
