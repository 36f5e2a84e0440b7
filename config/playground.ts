import { folder, integer, milliseconds, toggle } from './kinds.js'
import { setting } from './setting.js'

/** Settings of the playground. */
export const playgroundSettings = {
  instances: setting({
    kind: integer(0, 10_000),
    default: 2,
    group: 'Playground',
    commands: ['playground'],
    help: 'number of Karmada instances',
    why: 'two is the smallest fleet',
  }),
  members: setting({
    kind: integer(0, 100),
    default: 2,
    group: 'Playground',
    commands: ['playground'],
    help: 'number of member clusters of each instance',
    why: 'two is the smallest number that can be propagated to differently',
  }),
  data: setting({
    kind: folder,
    default: undefined,
    group: 'Playground',
    commands: ['playground'],
    help: 'keep all state in this folder, and continue from it when it is there',
    why: 'a playground is for trying: without --data it keeps nothing',
  }),
  files: setting({
    kind: folder,
    default: undefined,
    group: 'Playground',
    commands: ['playground', 'playground chaos'],
    help: 'folder for kubeconfigs, tokens and the client config',
    why: 'the --data folder, else .kairship in the working folder, where the other commands look',
  }),
  once: setting({
    kind: toggle,
    default: false,
    group: 'Playground',
    commands: ['playground'],
    help: 'bring the fleet up, say how it went, and stop',
    why: 'for scripts; without it the playground runs until interrupted',
  }),
  json: setting({
    kind: toggle,
    default: false,
    group: 'Playground',
    commands: ['playground'],
    help: 'print one line of JSON instead of tables when the fleet is up',
    why: 'for scripts',
  }),
  readyTimeoutMs: setting({
    kind: milliseconds(100, 3_600_000),
    default: 120_000,
    group: 'Playground',
    commands: ['playground'],
    help: 'give up with --once when not all instances are ready by then',
    why: 'twice what a thousand instances may take',
  }),
} as const
