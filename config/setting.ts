import type { Kind } from './kinds.js'

/** A command, as typed on the command line. */
export type CommandName =
  | 'playground'
  | 'playground chaos'
  | 'serve'
  | 'apiserver'
  | 'controller-manager'
  | 'get instances'
  | 'describe instance'
  | 'inspect instance'
  | 'adopt'
  | 'delete instance'
  | 'kubeconfig'
  | 'console'
  | 'login'
  | 'logout'
  | 'credential'
  | 'clusters'
  | 'workloads'
  | 'policies'
  | 'trace'
  | 'explain'
  | 'preview'
  | 'whoami'
  | 'can-i'
  | 'who-can'
  | 'lock'
  | 'unlock'
  | 'locks'
  | 'roles'
  | 'give-role'
  | 'take-role'
  | 'workspace list'
  | 'workspace bind'
  | 'workspace unbind'
  | 'audit'
  | 'rollback'
  | 'logs'
  | 'completion'
  | 'version'

/** One setting of Kairship. Its flag, environment variable and key in the config file all derive from its name. */
export interface Setting<T = unknown> {
  readonly kind: Kind<T>
  readonly default: T
  /** Where a command needs another default than the rest. */
  readonly defaultFor?: Readonly<Partial<Record<CommandName, T>>>
  /** The heading in `--help`. */
  readonly group: string
  readonly commands: readonly CommandName[]
  /** What it does, for `--help`. */
  readonly help: string
  /** Why the default is what it is. */
  readonly why: string
  readonly short?: string
  /** What the flag is called where a setting of other commands has the name that people expect. */
  readonly flag?: string
  /** Where it may be set; all three by default. Secrets have no flag, because others can read a process's arguments. */
  readonly from?: readonly Source[]
}

/** Where a value comes from, in order of precedence: a flag beats the environment, which beats the config file. */
export type Source = 'flag' | 'environment' | 'file'

/** Declares a setting; the type of its value is inferred. */
export const setting = <T>(setting: Setting<T>): Setting<T> => setting

/** Commands that a setting may concern: those that run a replica, answer callers, run actors, call a Kairship, and all. */
export const servers = ['serve', 'apiserver', 'controller-manager'] as const
export const answering = ['playground', 'serve', 'apiserver'] as const
export const acting = ['playground', 'serve', 'controller-manager'] as const
/** Commands that list what an instance has. */
export const listing = ['clusters', 'workloads', 'policies'] as const
export const clients = [
  'get instances',
  'describe instance',
  'inspect instance',
  'adopt',
  'delete instance',
  'kubeconfig',
  'console',
  'login',
  'logout',
  ...listing,
  'trace',
  'explain',
  'preview',
  'whoami',
  'can-i',
  'who-can',
  'lock',
  'unlock',
  'locks',
  'roles',
  'give-role',
  'take-role',
  'workspace list',
  'workspace bind',
  'workspace unbind',
  'audit',
  'rollback',
  'logs',
] as const
export const everything = [
  'playground',
  'playground chaos',
  ...servers,
  ...clients,
  'credential',
  'completion',
  'version',
] as const
