import { duration, optional, text } from './kinds.js'
import { setting } from './setting.js'

/** Settings of `kairship lock`. */
export const lockSettings = {
  lockMessage: setting({
    kind: optional(text('text', 'a text of 1 to 1024 characters', /^.{1,1024}$/s)),
    default: undefined,
    group: 'Client',
    commands: ['lock'],
    from: ['flag'],
    flag: 'message',
    help: 'what those who are locked out read: why, and whom to ask',
    why: 'only you can say it',
  }),
  lockFor: setting({
    kind: optional(duration),
    default: undefined,
    group: 'Client',
    commands: ['lock'],
    from: ['flag'],
    flag: 'for',
    help: 'how long it lasts, such as 90m or 24h',
    why: 'until it is lifted with "kairship unlock"',
  }),
} as const
