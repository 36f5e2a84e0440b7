import { hash } from 'node:crypto'
import { type AccessLock, lockEndsAt } from '../../manifests/access-lock.js'
import { isAlreadyExists, isNotFound } from '../../manifests/status-error.js'
import type { AccessLocks } from '../../ports/access-locks.js'
import { deadline } from '../../ports/cancellation.js'
import type { Log } from '../../ports/log.js'
import type { StoredLocks } from '../rpc/access-lock/access-locks.js'
import { CREATED_BY } from '../rpc/access-lock/lock-message.js'
import type { SessionUses } from './session-uses.js'

/** The prefix of a session's id in a lock's `tokenId`. No token has an id with it. */
const PREFIX = 'console-session/'
/** The time for writing a lock, milliseconds; after it the other replicas do not learn of the sign-out. */
const WITHIN_MS = 10_000
/** The most such locks of one user. Nobody signs out more often in a working day, and each is an object on the host. */
const MOST_OF_USER = 64
/** The most expired locks that are deleted with each new one. */
const MOST_REMOVED = 100

/** A session that was signed out of. */
export interface SignedOut {
  readonly id: string
  readonly user: string
  /** When it would have expired, milliseconds since 1970. */
  readonly until: number
}

/** Dependencies of the publication. */
export interface SignedOutOptions {
  /** The locks of this replica's watch. */
  readonly locks: AccessLocks
  /** The locks of the host, written with Kairship's own credential. */
  readonly stored: Pick<StoredLocks, 'create' | 'delete'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

/**
 * Publishes signed-out sessions to all replicas: as an AccessLock for the session's id, which all replicas watch and which expires with the session.
 * Replicas that start later see it as well.
 */
export class SignedOutSessions {
  constructor(private readonly options: SignedOutOptions) {}

  /** Ends sessions in `uses` that any replica has published, now and later. @returns stops that */
  follow(uses: SessionUses): () => void {
    const { locks, wallClock } = this.options
    const update = () => {
      const now = wallClock()
      for (const lock of locks.all()) {
        const id = sessionOf(lock)
        if (id !== undefined && lockEndsAt(lock) > now && !uses.isEnded(id)) uses.end(id)
      }
    }
    update()
    return locks.onChange(update)
  }

  /** Publishes a session. Where the host is away this fails with a log record. Never rejects. */
  async publish(session: SignedOut): Promise<void> {
    const { locks, stored, log, wallClock } = this.options
    const { signal, clear } = deadline([], WITHIN_MS)
    try {
      const now = wallClock()
      const all = locks.all().filter(lock => sessionOf(lock) !== undefined)
      const isOver = (lock: AccessLock) => lockEndsAt(lock) <= now
      const own = all.filter(
        lock => !isOver(lock) && lock.metadata.annotations?.[CREATED_BY] === session.user,
      )
      if (own.length < MOST_OF_USER) await stored.create(lockOf(session), signal)
      else log.warn({ user: session.user, sessions: own.length }, 'other replicas are not told of a sign-out')
      for (const { metadata } of all.filter(isOver).slice(0, MOST_REMOVED))
        await stored.delete(metadata.name, signal).catch(unlessGone)
    } catch (error) {
      if (!isAlreadyExists(error))
        log.warn({ err: error, user: session.user }, 'other replicas could not be told of a sign-out')
    } finally {
      clear()
    }
  }
}

/** Another replica may have deleted it. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}

const sessionOf = ({ spec: { tokenId } }: AccessLock): string | undefined =>
  tokenId?.startsWith(PREFIX) ? tokenId.slice(PREFIX.length) : undefined

/** The name is derived from the session, so that two sign-outs of one session make one lock. */
const lockOf = ({ id, user, until }: SignedOut): AccessLock => ({
  apiVersion: 'kairship.io/v1alpha1',
  kind: 'AccessLock',
  metadata: {
    name: `console-session-${hash('sha256', id, 'hex').slice(0, 32)}`,
    annotations: { [CREATED_BY]: user },
  },
  spec: {
    tokenId: `${PREFIX}${id}`,
    message: 'somebody signed out of this session of the console',
    expiresAt: new Date(until).toISOString(),
  },
})
