import { hash } from 'node:crypto'
import { type AccessLock, lockEndsAt } from '../../manifests/access-lock.js'
import { isAlreadyExists, isNotFound } from '../../manifests/status-error.js'
import type { AccessLocks } from '../../ports/access-locks.js'
import { deadline } from '../../ports/cancellation.js'
import type { Log } from '../../ports/log.js'
import type { StoredLocks } from '../rpc/access-lock/access-locks.js'
import { CREATED_BY } from '../rpc/access-lock/lock-message.js'
import type { SessionUses } from './session-uses.js'

/** Before the id of a session in a lock's `tokenId`: no token has such an id. */
const PREFIX = 'console-session/'
/** The host answers within this time, milliseconds, or the other replicas are not told. */
const WITHIN_MS = 10_000
/** Sessions of one user that replicas are told of at once. Nobody signs out more often in a working day; each is an object on the host. */
const MOST_OF_USER = 64
/** Locks that are over and are removed when another one is set. */
const MOST_REMOVED = 100

/** A session that somebody signed out of. */
export interface SignedOut {
  readonly id: string
  readonly user: string
  /** When it would have ended by itself, milliseconds since 1970. */
  readonly until: number
}

/** What telling the other replicas depends on. */
export interface SignedOutOptions {
  /** The locks as this replica's watch has them. */
  readonly locks: AccessLocks
  /** Those of the host, under Kairship's own credential. */
  readonly stored: Pick<StoredLocks, 'create' | 'delete'>
  readonly log: Log
  /** Milliseconds since 1970. */
  readonly wallClock: () => number
}

/**
 * Tells every replica which sessions were signed out of: by an AccessLock for the id of the session, which all of them watch and which ends with it.
 * Also a replica that starts later knows them.
 */
export class SignedOutSessions {
  constructor(private readonly options: SignedOutOptions) {}

  /** Ends in `uses` what any replica has signed out of, now and from now on. @returns what stops that */
  follow(uses: SessionUses): () => void {
    const { locks, wallClock } = this.options
    const look = () => {
      const now = wallClock()
      for (const lock of locks.all()) {
        const id = sessionOf(lock)
        if (id !== undefined && lockEndsAt(lock) > now && !uses.isEnded(id)) uses.end(id)
      }
    }
    look()
    return locks.onChange(look)
  }

  /** Tells the other replicas. Where the host is away they are not told, and the log says so. It never rejects. */
  async tell(session: SignedOut): Promise<void> {
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

/** Another replica may have removed it. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error
}

const sessionOf = ({ spec: { tokenId } }: AccessLock): string | undefined =>
  tokenId?.startsWith(PREFIX) ? tokenId.slice(PREFIX.length) : undefined

/** It has one name, so that two sign-outs of one session set one. */
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
