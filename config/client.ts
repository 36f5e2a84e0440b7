import { httpsUrl, milliseconds, oneOf, optional, path, text, toggle } from './kinds.js'
import { clients, knob } from './knob.js'

/** Settings of whoever asks a Kairship. */
export const clientKnobs = {
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
