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
    help: 'with --role: how long its token is valid, from 10m to 720h',
    why: 'a day',
  }),
} as const
