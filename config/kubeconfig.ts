import { duration, oneOf, optional, text, toggle } from './kinds.js'
import { setting } from './setting.js'

/** Settings of `kairship kubeconfig`. */
export const kubeconfigSettings = {
  merge: setting({
    kind: toggle,
    default: false,
    group: 'Client',
    commands: ['kubeconfig'],
    from: ['flag'],
    help: 'add it to your own kubeconfig as context kairship-<instance> instead of printing it',
    why: 'your own kubeconfig changes only when you say so',
  }),
  role: setting({
    kind: optional(oneOf('viewer', 'editor', 'admin')),
    default: undefined,
    group: 'Client',
    commands: ['kubeconfig'],
    from: ['flag'],
    help: 'issue a kubeconfig of the instance itself, with the rights of this role and a token that expires',
    why: 'else kubectl passes through Kairship with your own token',
  }),
  shortLived: setting({
    kind: toggle,
    default: false,
    group: 'Client',
    commands: ['kubeconfig'],
    from: ['flag'],
    help: 'put a token into it that Kairship issues in your own name for this instance alone, valid for an hour at most',
    why: 'your own token is accepted for all instances',
  }),
  scopeNamespaces: setting({
    kind: optional(
      text(
        'names',
        'names of namespaces, separated by commas',
        /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(,[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/,
      ),
    ),
    default: undefined,
    group: 'Client',
    commands: ['kubeconfig'],
    from: ['flag'],
    flag: 'namespaces',
    help: 'with --role: only these namespaces, separated by commas',
    why: 'the whole instance',
  }),
  duration: setting({
    kind: optional(duration),
    default: undefined,
    group: 'Client',
    commands: ['kubeconfig'],
    from: ['flag'],
    help: 'how long its token is valid: with --role from 10m to 720h, with --short-lived from 1m to 1h',
    why: 'a day; an hour with --short-lived',
  }),
} as const
