import { dnsLabel, oneOf, path } from './kinds.js'
import { everything, servers, setting } from './setting.js'

/** Settings of every process, and of the host cluster that replicas serve. */
export const generalSettings = {
  config: setting({
    kind: path,
    default: undefined,
    group: 'General',
    commands: everything,
    from: ['flag', 'environment'],
    help: 'YAML file with settings by name, e.g. "logLevel: debug"',
    why: 'no file is read unless it is named, so that a run means the same in every folder',
  }),
  logLevel: setting({
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    defaultFor: { playground: 'warn' },
    group: 'General',
    commands: ['playground', ...servers],
    help: 'least important message that is logged',
    why: 'info is one line per decision; debug adds one per event; a playground has its own calm words for what goes well',
  }),
  logFormat: setting({
    kind: oneOf('auto', 'text', 'json'),
    default: 'auto',
    group: 'General',
    commands: ['playground', ...servers],
    help: 'how messages are written to stderr',
    why: 'a person gets text on a terminal, a program gets JSON',
  }),

  kubeconfig: setting({
    kind: path,
    default: undefined,
    group: 'Host cluster',
    commands: servers,
    help: 'kubeconfig of the host cluster',
    why: 'else $KUBECONFIG, else the Pod’s service account, else ~/.kube/config, as kubectl does',
  }),
  namespace: setting({
    kind: dnsLabel,
    default: 'kairship-system',
    group: 'Host cluster',
    commands: servers,
    help: 'namespace of Kairship on the host cluster: its lease and events live there',
    why: 'the namespace of manifests/install',
  }),
} as const
