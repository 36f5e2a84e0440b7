import type { Kind } from './kinds.js'

/** What can be started or asked, as typed on the command line. */
export type CommandName =
  | 'playground'
  | 'serve'
  | 'apiserver'
  | 'controller-manager'
  | 'get instances'
  | 'describe instance'
  | 'kubeconfig'
  | 'version'

/** One knob of Kairship. Its flag, environment variable and key in the config file all derive from its name. */
export interface Knob<T = unknown> {
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
  /** Where it may be set; all three unless told. Secrets have no flag, because others can read a process's arguments. */
  readonly from?: readonly Source[]
}

/** Where a value comes from, in order of precedence: a flag beats the environment, which beats the config file. */
export type Source = 'flag' | 'environment' | 'file'

/** A knob; its value's type is found out. */
export const knob = <T>(knob: Knob<T>): Knob<T> => knob

/** Which commands a setting concerns: those that run a replica, that answer callers, that run actors, that ask, and all. */
export const servers = ['serve', 'apiserver', 'controller-manager'] as const
export const answering = ['playground', 'serve', 'apiserver'] as const
export const acting = ['playground', 'serve', 'controller-manager'] as const
export const clients = ['get instances', 'describe instance', 'kubeconfig'] as const
export const everything = ['playground', ...servers, ...clients, 'version'] as const
