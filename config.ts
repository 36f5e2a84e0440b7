import { hostname } from 'node:os'
import {
  address,
  dnsLabel,
  folder,
  httpsUrl,
  integer,
  type Kind,
  milliseconds,
  oneOf,
  optional,
  path,
  text,
  toggle,
} from './config-kinds.js'

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

const knob = <T>(knob: Knob<T>): Knob<T> => knob

const servers = ['serve', 'apiserver', 'controller-manager'] as const
const answering = ['playground', 'serve', 'apiserver'] as const
const acting = ['playground', 'serve', 'controller-manager'] as const
const clients = ['get instances', 'describe instance', 'kubeconfig'] as const
const everything = ['playground', ...servers, ...clients, 'version'] as const

/**
 * Every setting there is: the one place with names, allowed values, defaults and their reasons. Parsed by
 * `cli/load-config.ts`, shown by `--help`, listed in docs/configuration.md.
 */
export const knobs = {
  config: knob({
    kind: path,
    default: undefined,
    group: 'General',
    commands: everything,
    from: ['flag', 'environment'],
    help: 'YAML file with settings by name, e.g. "logLevel: debug"',
    why: 'no file is read unless it is named, so that a run means the same in every folder',
  }),
  logLevel: knob({
    kind: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    default: 'info',
    defaultFor: { playground: 'warn' },
    group: 'General',
    commands: ['playground', ...servers],
    help: 'least important message that is logged',
    why: 'info is one line per decision; debug adds one per event; a playground has its own calm words for what goes well',
  }),
  logFormat: knob({
    kind: oneOf('auto', 'text', 'json'),
    default: 'auto',
    group: 'General',
    commands: ['playground', ...servers],
    help: 'how messages are written to stderr',
    why: 'a person gets text on a terminal, a program gets JSON',
  }),

  kubeconfig: knob({
    kind: path,
    default: undefined,
    group: 'Host cluster',
    commands: servers,
    help: 'kubeconfig of the host cluster',
    why: 'else $KUBECONFIG, else the Pod’s service account, else ~/.kube/config, as kubectl does',
  }),
  namespace: knob({
    kind: dnsLabel,
    default: 'kairship-system',
    group: 'Host cluster',
    commands: servers,
    help: 'namespace of Kairship on the host cluster: its lease and events live there',
    why: 'the namespace of manifests/deployment.yaml',
  }),
  identity: knob({
    kind: text('name', '1 to 253 printable characters', /^[!-~]{1,253}$/),
    default: `${hostname()}_${process.pid}`,
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'name of this replica in the lease; no two replicas may share it',
    why: 'host name and process id: unique per running process, readable in the Lease (default shown is this process’s)',
  }),
  leaseName: knob({
    kind: dnsLabel,
    default: 'kairship-controller-manager',
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'the Lease that replicas contend for; the Roles in manifests/install name it, too',
    why: 'one lease per Kairship; change it to run two on one host cluster',
  }),
  leaseDurationMs: knob({
    kind: milliseconds(1_000, 3_600_000),
    default: 15_000,
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'a follower takes over when the lease has not been renewed for this long',
    why: 'the default of Kubernetes’ own components; a crash costs this much, a graceful stop nothing (the Lease API counts whole seconds)',
  }),
  renewDeadlineMs: knob({
    kind: milliseconds(500, 3_600_000),
    default: 10_000,
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'a leader that could not renew for this long stops acting',
    why: 'two thirds of the lease: the leader is silent well before anyone else may act',
  }),
  retryPeriodMs: knob({
    kind: milliseconds(50, 600_000),
    default: 2_000,
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'pause between two attempts to take or renew the lease',
    why: 'five attempts within the renew deadline; one small write per period',
  }),

  probeIntervalMs: knob({
    kind: milliseconds(100, 3_600_000),
    default: 10_000,
    group: 'Controllers',
    commands: acting,
    help: 'pause between two health probes of a control plane and its aggregated API',
    why: 'Karmada looks at its member clusters at the same pace',
  }),
  statusIntervalMs: knob({
    kind: milliseconds(100, 3_600_000),
    default: 10_000,
    group: 'Controllers',
    commands: acting,
    help: 'least time between two writes of an instance’s counters; state and conditions are written at once',
    why: 'Karmada refreshes a cluster’s counters every 10 s, so more often would write what nobody measured',
  }),

  indexCanaryIntervalMs: knob({
    kind: milliseconds(0, 3_600_000),
    default: 30_000,
    group: 'Controllers',
    commands: [...acting, 'apiserver'],
    help: 'pause between two canaries that measure how far an instance’s index is behind; 0 sends none',
    why: 'two small requests an interval tell within it and the patience of an index that claims health and stands still; a thousand instances cost some ninety a second',
  }),
  indexCanaryPatienceMs: knob({
    kind: milliseconds(100, 3_600_000),
    default: 10_000,
    group: 'Controllers',
    commands: [...acting, 'apiserver'],
    help: 'an index that does not show a canary within this time is taken out of service until it shows a later one in time',
    why: 'thirty times what Clusterpedia’s lag was at its 99th percentile beside 150 writes/s, and longer than a restart of its database',
  }),

  listen: knob({
    kind: address,
    default: '127.0.0.1:8443',
    defaultFor: { playground: '127.0.0.1:0' },
    group: 'API',
    commands: answering,
    help: 'address of REST over TLS',
    why: 'loopback: opening to a network is a decision (the manifests take it with 0.0.0.0:8443); a playground takes any free port, so that two can run',
  }),
  grpcListen: knob({
    kind: address,
    default: '127.0.0.1:9443',
    defaultFor: { playground: '127.0.0.1:0' },
    group: 'API',
    commands: answering,
    help: 'address of gRPC over TLS',
    why: 'its own port, because grpc-js owns its HTTP/2 sockets',
  }),
  externalUrl: knob({
    kind: httpsUrl,
    default: undefined,
    group: 'API',
    commands: answering,
    help: 'URL by which callers reach REST and the native door; it is written into kubeconfigs',
    why: 'without it the address listened on, which only callers on this machine or without a proxy can use',
  }),
  karmadaVersion: knob({
    kind: text('version', 'a Karmada release such as v1.18.2', /^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/),
    default: 'v1.18.2',
    group: 'API',
    commands: answering,
    help: 'the Karmada release that the installed karmada-operator brings up; GetInstanceKarmadaConfig tells it',
    why: 'the release that Kairship is tested with; the operator decides what is installed and tells nobody beforehand',
  }),
  healthListen: knob({
    kind: address,
    default: '127.0.0.1:8080',
    defaultFor: { playground: '127.0.0.1:0' },
    group: 'API',
    commands: ['playground', ...servers],
    help: 'address of /healthz, /readyz and /metrics in plain HTTP',
    why: 'apart from the API, so that probes and scrapers need no credentials and callers cannot reach it',
  }),
  tlsCertFile: knob({
    kind: path,
    default: undefined,
    group: 'API',
    commands: ['serve', 'apiserver'],
    help: 'PEM certificate chain the API presents',
    why: 'without it a self-signed one is made at start, and its CA is logged by fingerprint',
  }),
  tlsKeyFile: knob({
    kind: path,
    default: undefined,
    group: 'API',
    commands: ['serve', 'apiserver'],
    help: 'PEM private key of --tls-cert-file',
    why: 'belongs to the certificate',
  }),
  clientCaFile: knob({
    kind: path,
    default: undefined,
    group: 'API',
    commands: ['serve', 'apiserver'],
    help: 'PEM authorities whose client certificates are accepted',
    why: 'without it bearer tokens are the only way in',
  }),

  proxyRequestsPerInstance: knob({
    kind: integer(1, 100_000, 'requests'),
    default: 512,
    group: 'Native door',
    commands: answering,
    help: 'short requests under way for one instance; one more is refused with 429',
    why: 'twice the sockets that are opened to an instance: as many wait their turn as are served',
  }),
  proxyStreamsPerCaller: knob({
    kind: integer(1, 100_000, 'streams'),
    default: 1_000,
    group: 'Native door',
    commands: answering,
    help: 'watches, followed logs and upgraded connections of one caller; one more is refused with 429',
    why: 'an informer holds a watch for each type it follows, and several controllers of one account share this',
  }),
  proxyStreamsPerInstance: knob({
    kind: integer(1, 1_000_000, 'streams'),
    default: 10_000,
    group: 'Native door',
    commands: answering,
    help: 'the same of all callers for one instance',
    why: 'each holds two sockets here and one at the instance',
  }),
  proxyCheckNewcomers: knob({
    kind: toggle,
    default: false,
    group: 'Native door',
    commands: answering,
    help: 'read from the instance what a caller who has just come to this replica reads, until the index shows all that there was then: also what it wrote through another replica or before a restart',
    why: 'the Service keeps a caller with one replica; an index takes up to a minute to say that it has reached a moment',
  }),
  proxyPatienceMs: knob({
    kind: milliseconds(100, 3_600_000),
    default: 60_000,
    group: 'Native door',
    commands: answering,
    help: 'a caller that leaves an answer unread for this long is cut off',
    why: 'it holds a socket at the instance; a client that was suspended for longer lists again anyway',
  }),

  instances: knob({
    kind: integer(0, 10_000),
    default: 2,
    group: 'Playground',
    commands: ['playground'],
    help: 'number of Karmada instances',
    why: 'two is the smallest fleet',
  }),
  members: knob({
    kind: integer(0, 100),
    default: 2,
    group: 'Playground',
    commands: ['playground'],
    help: 'number of member clusters of each instance',
    why: 'two is the smallest number that can be propagated to differently',
  }),
  data: knob({
    kind: folder,
    default: undefined,
    group: 'Playground',
    commands: ['playground'],
    help: 'keep all state in this folder, and continue from it when it is there',
    why: 'a playground is for trying: it forgets unless asked to remember',
  }),
  files: knob({
    kind: folder,
    default: undefined,
    group: 'Playground',
    commands: ['playground'],
    help: 'folder for kubeconfigs, tokens and the client config',
    why: 'the --data folder, else .kairship in the working folder, where the other commands look',
  }),
  once: knob({
    kind: toggle,
    default: false,
    group: 'Playground',
    commands: ['playground'],
    help: 'bring the fleet up, say how it went, and stop',
    why: 'for scripts; without it the playground runs until interrupted',
  }),
  json: knob({
    kind: toggle,
    default: false,
    group: 'Playground',
    commands: ['playground'],
    help: 'print one line of JSON instead of tables when the fleet is up',
    why: 'for scripts',
  }),
  readyTimeoutMs: knob({
    kind: milliseconds(100, 3_600_000),
    default: 120_000,
    group: 'Playground',
    commands: ['playground'],
    help: 'give up with --once when not all instances are ready by then',
    why: 'twice what a thousand instances may take',
  }),

  clientConfig: knob({
    kind: path,
    default: undefined,
    group: 'Client',
    commands: clients,
    from: ['flag', 'environment'],
    help: 'file that says which Kairship to ask and how',
    why: 'else .kairship/client.yaml in the working folder (a playground writes it), else in the home folder',
  }),
  server: knob({
    kind: httpsUrl,
    default: undefined,
    group: 'Client',
    commands: clients,
    help: 'URL of the Kairship to ask',
    why: 'taken from the client config',
  }),
  token: knob({
    kind: optional(text('token', 'a bearer token without blanks', /^\S+$/)),
    default: undefined,
    group: 'Client',
    commands: clients,
    from: ['environment'],
    help: 'bearer token',
    why: 'no flag, because a process’s arguments can be read by others; taken from the client config',
  }),
  tokenFile: knob({
    kind: path,
    default: undefined,
    group: 'Client',
    commands: clients,
    help: 'file with the bearer token',
    why: 'taken from the client config',
  }),
  certificateAuthority: knob({
    kind: path,
    default: undefined,
    group: 'Client',
    commands: clients,
    help: 'PEM file with the authority that signed the server’s certificate',
    why: 'taken from the client config, else the authorities Node.js trusts',
  }),
  requestTimeoutMs: knob({
    kind: milliseconds(100, 3_600_000),
    default: 30_000,
    group: 'Client',
    commands: clients,
    help: 'give a request up after this time (a watch has no end)',
    why: 'longer than any single answer takes',
  }),
  output: knob({
    kind: oneOf('table', 'wide', 'json', 'yaml'),
    default: 'table',
    group: 'Client',
    commands: ['get instances', 'describe instance', 'version'],
    short: 'o',
    help: 'how the answer is written',
    why: 'a person reads it; programs ask for json',
  }),
  watch: knob({
    kind: toggle,
    default: false,
    group: 'Client',
    commands: ['get instances', 'describe instance'],
    short: 'w',
    help: 'stay and print every change',
    why: 'one answer unless asked to stay',
  }),
} as const

/** The name of a knob, which is also its key in the config file. */
export type KnobName = keyof typeof knobs

/** All settings, parsed. Every command gets all of them and reads its own. */
export type Config = { readonly [Name in KnobName]: (typeof knobs)[Name] extends Knob<infer T> ? T : never }

/** The settings of a command when nothing is set. */
export function defaults(command: CommandName): Config {
  const entries: [string, Knob][] = Object.entries(knobs)
  return Object.fromEntries(
    entries.map(([name, { default: value, defaultFor }]) => [name, defaultFor?.[command] ?? value]),
  ) as unknown as Config
}

/**
 * What no single knob can say: how values must fit together.
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
  return found
}
