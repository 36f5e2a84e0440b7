import { duration, optional, text } from './kinds.js'
import { setting } from './setting.js'

const NAME = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

/** Settings of `kairship give-role`. */
export const roleSettings = {
  roleNamespaces: setting({
    kind: optional(
      text('names', 'names of namespaces, separated by commas', new RegExp(`^${NAME}(,${NAME})*$`)),
    ),
    default: undefined,
    group: 'Client',
    commands: ['give-role'],
    from: ['flag'],
    short: 'n',
    flag: 'namespace',
    help: 'the role is on these namespaces of the instance only, separated by commas',
    why: 'a role without namespaces is on the whole instance',
  }),
  roleFor: setting({
    kind: optional(duration),
    default: undefined,
    group: 'Client',
    commands: ['give-role'],
    from: ['flag'],
    flag: 'for',
    help: 'how long the role lasts, such as 90m or 24h',
    why: 'until it is taken away with "kairship take-role"',
  }),
  reason: setting({
    kind: optional(text('text', 'a text of 1 to 512 characters', /^.{1,512}$/s)),
    default: undefined,
    group: 'Client',
    commands: ['give-role'],
    from: ['flag'],
    help: 'why the role is given, for people and for the audit log',
    why: 'only you can say it',
  }),
  roleName: setting({
    kind: optional(text('name', 'the name of an object', /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/)),
    default: undefined,
    group: 'Client',
    commands: ['give-role'],
    from: ['flag'],
    flag: 'name',
    help: 'what the role binding is called',
    why: 'made of what is given to whom, so that the same role is not given twice',
  }),
} as const
