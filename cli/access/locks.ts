import { fromJson } from '@bufbuild/protobuf'
import { jsonClient } from '../../client/service-client.js'
import type { Config } from '../../config.js'
import {
  type AccessLock,
  AccessLockSchema,
  AccessLockService,
  ListAccessLocksResponseSchema,
} from '../../proto/gen/kairship/accesslock_pb.js'
import { splitOnce } from '../arguments/split-once.js'
import type { ClientContext } from '../client/client.js'
import { CommandError, ExitCode } from '../exit-code.js'
import { ageOf, columns } from '../print/columns.js'
import { printedAnswer } from '../print/print.js'
import { timeText } from '../print/time-text.js'

/** What a person types before the slash, and the field that it is. */
const TARGETS = { user: 'user', group: 'group', token: 'tokenId', instance: 'instance' } as const
type Target = { [Field in (typeof TARGETS)[keyof typeof TARGETS]]?: string }

/** `kairship lock user/ann instance/eu-west --message … --for 2h`: refuses whom all words name, and ends what they have open. */
export async function lockAccess(
  { client, out, now }: ClientContext,
  { lockMessage = '', lockFor, output }: Config,
  words: readonly string[],
): Promise<ExitCode> {
  const raw = await jsonClient(AccessLockService, client).createAccessLock({
    ...targetOf(words),
    message: lockMessage,
    ...(lockFor !== undefined && { expiresAt: BigInt(now() + lockFor * 1_000) }),
  })
  const { name } = fromJson(AccessLockSchema, raw, { ignoreUnknownFields: true })
  out(
    printedAnswer(raw, output, [name]) ??
      `${name}: ${words.join(' and ')} locked; lift it: kairship unlock ${name}\n`,
  )
  return ExitCode.ok
}

/** `kairship unlock NAME...`: lifts locks. */
export async function unlockAccess(
  { client, out }: ClientContext,
  names: readonly string[],
): Promise<ExitCode> {
  for (const name of names) {
    await jsonClient(AccessLockService, client).deleteAccessLock({ name })
    out(`${name}: lifted\n`)
  }
  return ExitCode.ok
}

/** `kairship locks`: the locks that there are. */
export async function listLocks(
  { client, out, now }: ClientContext,
  { output, noHeaders }: Config,
): Promise<ExitCode> {
  const raw = await jsonClient(AccessLockService, client).listAccessLocks({})
  const { items } = fromJson(ListAccessLocksResponseSchema, raw, { ignoreUnknownFields: true })
  const names = items.map(({ name }) => name)
  out(printedAnswer(raw, output, names) ?? table(items, now(), noHeaders))
  return ExitCode.ok
}

function table(items: readonly AccessLock[], now: number, noHeaders: boolean): string {
  if (items.length === 0) return 'Nobody is locked out.\n'
  const rows = items.map(lock => [
    lock.name,
    wordsOf(lock),
    lock.expiresAt === 0n ? 'never' : endOf(Number(lock.expiresAt), now),
    ageOf(lock.createdAt, now),
    lock.createdBy || '-',
    lock.message || '-',
  ])
  return columns(['NAME', 'WHOM', 'ENDS', 'AGE', 'BY', 'MESSAGE'], rows, noHeaders).text
}

const endOf = (at: number, now: number): string => (at <= now ? 'is over' : timeText(at))

const wordsOf = (lock: AccessLock): string =>
  Object.entries(TARGETS)
    .filter(([, field]) => lock[field] !== '')
    .map(([word, field]) => `${word}/${lock[field]}`)
    .join(' ')

/** @throws CommandError for words that name nobody, or the same twice */
function targetOf(words: readonly string[]): Target {
  const target: Target = {}
  for (const word of words) {
    const [kind, name] = splitOnce(word)
    const field = Object.hasOwn(TARGETS, kind) ? TARGETS[kind as keyof typeof TARGETS] : undefined
    if (!field || name === '')
      throw new CommandError(
        `${JSON.stringify(word)} names nobody: give ${Object.keys(TARGETS)
          .map(one => `${one}/NAME`)
          .join(', ')}; what is given must all match`,
        ExitCode.usage,
      )
    if (target[field] !== undefined)
      throw new CommandError(
        `${kind} is given twice: a lock has one of each, so make two locks`,
        ExitCode.usage,
      )
    target[field] = name
  }
  return target
}
