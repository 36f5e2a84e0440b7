import { optional, text } from './kinds.js'
import { setting } from './setting.js'

const NAME = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'

/** Settings of `kairship workspace bind` and `unbind`. */
export const workspaceSettings = {
  boundNamespaces: setting({
    kind: optional(
      text('names', 'names of namespaces, separated by commas', new RegExp(`^${NAME}(,${NAME})*$`)),
    ),
    default: undefined,
    group: 'Client',
    commands: ['workspace bind', 'workspace unbind'],
    from: ['flag'],
    short: 'n',
    flag: 'namespace',
    help: 'these namespaces of the instance, separated by commas, and not the instance itself',
    why: 'an instance that belongs to a workspace does so as a whole',
  }),
} as const
