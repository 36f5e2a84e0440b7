import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { z } from 'zod'
import { CommandError, ExitCode } from '../exit-code.js'
import { ofFile, systemCode } from './login-file.js'

const schema = z.object({
  /** URL of the Kairship that was logged in to: its tokens are sent nowhere else. */
  server: z.url(),
  /** PEM of the authority of that server; absent where those of Node.js are trusted. */
  certificateAuthorityData: z.string().optional(),
  issuer: z.url(),
  issuerCertificateAuthority: z.string().optional(),
  clientId: z.string(),
  scopes: z.string(),
  /** The user's `sub` at the issuer. */
  subject: z.string(),
  /** What the user is called there; for people only. */
  user: z.string(),
  idToken: z.string(),
  /** Since when the ID token counts, and until when, milliseconds since the epoch. */
  issuedAt: z.number(),
  expiresAt: z.number(),
  /** Absent where the issuer gave none, or has refused it. It is never printed. */
  refreshToken: z.string().optional(),
  loggedInAt: z.number(),
  /** The last time that the issuer could not be asked, and why; so that those who waited for it do not wait again. */
  failure: z.object({ at: z.number(), message: z.string() }).optional(),
})

/** One login of one user to one Kairship. */
export type Login = z.output<typeof schema>

/**
 * The name of a login: everything that tells two apart. A cache that knew only issuer and client would give one user the token of
 * another (kubernetes#79546).
 */
export const loginId = ({ server, issuer, clientId, scopes, subject }: Login): string =>
  createHash('sha256')
    .update(JSON.stringify([server, issuer, clientId, scopes, subject]))
    .digest('hex')
    .slice(0, 32)

/** The one way out of a login that is over. */
export const logInAnew = ({ server, user }: Login, why?: string): CommandError =>
  new CommandError(
    `the login of ${user} to ${server} is over${why ? ` (${why})` : ''}: run "kairship login --server ${server}"`,
    ExitCode.denied,
  )

/** Where logins are kept: `$XDG_STATE_HOME/kairship/logins`, else `~/.local/state/kairship/logins`. */
export function loginFolder(environment: Readonly<Record<string, string | undefined>> = process.env): string {
  const { XDG_STATE_HOME: state } = environment
  // The XDG base directory specification: a path that is not absolute is ignored.
  return join(state && isAbsolute(state) ? state : join(homedir(), '.local', 'state'), 'kairship', 'logins')
}

/** The logins of this user: a file each, which only they may read. */
export class LoginStore {
  constructor(readonly folder = loginFolder()) {}

  /** @throws CommandError for a file that cannot be used, or that others can read */
  read(id: string): Login | undefined {
    const path = this.#path(id)
    let text: string
    try {
      mustBePrivate(this.folder, 0o077)
      mustBePrivate(path, 0o077)
      if (!statSync(path).isFile()) throw noLogin(path)
      text = readFileSync(path, 'utf8')
    } catch (error) {
      if (systemCode(error) === 'ENOENT') return undefined
      throw ofFile(error, path)
    }
    const { data } = schema.safeParse(parsed(text))
    if (data && loginId(data) === id) return data
    throw noLogin(path)
  }

  /** Writes it whole or not at all: who reads meanwhile gets the one before. @throws CommandError where that cannot be done, as on a full disk */
  write(login: Login): string {
    const id = loginId(login)
    const path = this.#path(id)
    const written = `${path}.${process.pid}`
    try {
      mkdirSync(this.folder, { recursive: true, mode: 0o700 })
      mustBePrivate(this.folder, 0o077)
      rmSync(written, { force: true })
      try {
        writeFileSync(written, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
        renameSync(written, path)
      } finally {
        // What a full disk has cut, or could not be renamed.
        rmSync(written, { force: true })
      }
    } catch (error) {
      throw ofFile(error, path)
    }
    return id
  }

  /** @throws CommandError where its file cannot be removed */
  remove(id: string): void {
    const path = this.#path(id)
    try {
      rmSync(path, { force: true })
    } catch (error) {
      throw ofFile(error, path)
    }
  }

  /** Whether a login is kept, also one that cannot be used. */
  has(id: string): boolean {
    return existsSync(this.#path(id))
  }

  /** The last login to this server, or to any. @throws as `read` for any of them */
  latest(server?: string): { readonly id: string; readonly login: Login } | undefined {
    return this.all(server)[0]
  }

  /** The logins to this server, or to any, the last one first. */
  all(server?: string): readonly { readonly id: string; readonly login: Login }[] {
    return this.#ids()
      .flatMap(id => {
        const login = this.read(id)
        return login && (server === undefined || login.server === server) ? [{ id, login }] : []
      })
      .sort((one, other) => other.login.loggedInAt - one.login.loggedInAt)
  }

  #path(id: string): string {
    return join(this.folder, `${id}.json`)
  }

  #ids(): readonly string[] {
    try {
      return readdirSync(this.folder).flatMap(name => /^([0-9a-f]{32})\.json$/.exec(name)?.[1] ?? [])
    } catch (error) {
      // A home folder that is not there, or not this user's: they have no logins, and other commands go on.
      if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
      throw error
    }
  }
}

const noLogin = (path: string): CommandError =>
  new CommandError(`${path} is no login: delete it, and run "kairship login"`, ExitCode.failed)

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @throws CommandError for what another user owns, or may read or write; the system's own error where there is nothing */
function mustBePrivate(path: string, others: number): void {
  // Windows has no such modes: a home folder is its owner's there.
  if (process.getuid === undefined) return
  const { uid, mode } = statSync(path)
  if (uid !== process.getuid())
    throw new CommandError(`${path} belongs to another user: logins are not kept there`, ExitCode.failed)
  if ((mode & others) !== 0)
    throw new CommandError(
      `${path} is open to other users: chmod go= ${path}, and log in anew if one may have read it`,
      ExitCode.failed,
    )
}
