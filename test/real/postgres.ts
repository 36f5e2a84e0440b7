import { spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './ports.js'
import type { Site } from './site.js'

/** A PostgreSQL server that lives as long as the stack. */
export interface Postgres {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  /** Removes the data folder; after the site is closed. */
  remove(): void
}

/** Starts PostgreSQL on loopback with a data folder of its own, as an unprivileged user when we are root. */
export async function startPostgres(site: Site): Promise<Postgres> {
  const programs = postgresFolder()
  const runAs = process.getuid?.() === 0 ? unprivilegedUser() : undefined
  // Not inside the site's folder: another user must be able to reach it.
  const data = mkdtempSync(join(tmpdir(), 'kairship-postgres-'))
  if (runAs !== undefined) chownSync(data, runAs.uid, runAs.gid)
  run(
    join(programs, 'initdb'),
    ['-D', data, '-U', 'clusterpedia', '-A', 'trust', '--no-sync', '-E', 'UTF8'],
    runAs,
  )
  const port = await freePort()
  const connect = ['-h', '127.0.0.1', '-p', String(port), '-U', 'clusterpedia']
  const settings = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=200']
  await site.run({
    name: 'postgres',
    command: join(programs, 'postgres'),
    args: [
      '-D',
      data,
      '-p',
      String(port),
      '-h',
      '127.0.0.1',
      '-k',
      data,
      ...settings.flatMap(setting => ['-c', setting]),
    ],
    // A fast shutdown: SIGTERM would wait for Clusterpedia's connections to end.
    stopSignal: 'SIGINT',
    isReady: async () => spawnSync(join(programs, 'pg_isready'), connect, { stdio: 'ignore' }).status === 0,
    ...(runAs === undefined ? {} : { runAs }),
  })
  run(join(programs, 'createdb'), [...connect, 'clusterpedia'], undefined)
  return {
    host: '127.0.0.1',
    port,
    user: 'clusterpedia',
    database: 'clusterpedia',
    remove: () => rmSync(data, { recursive: true, force: true }),
  }
}

/** @throws Error when the server programs are not installed */
export function requirePostgres(): void {
  postgresFolder()
}

/** Where the server programs are: Debian keeps them out of PATH, one folder per major version. */
function postgresFolder(): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : []
  const folders = [
    ...versions.map(version => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(':'),
  ]
  const found = folders.find(folder => existsSync(join(folder, 'initdb')))
  if (found === undefined)
    throw new Error(
      'PostgreSQL is missing: install it (Debian: apt-get install postgresql) so that Clusterpedia has a store',
    )
  return found
}

/** PostgreSQL refuses to run as root. */
function unprivilegedUser(): { uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map(flag => spawnSync('id', [flag, name], { encoding: 'utf8' }))
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  }
  throw new Error('PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody')
}

function run(
  command: string,
  args: readonly string[],
  runAs: { uid: number; gid: number } | undefined,
): void {
  const result = spawnSync(command, args, { encoding: 'utf8', cwd: '/', ...runAs })
  if (result.status !== 0) throw new Error(`${command} failed: ${result.stderr || result.error?.message}`)
}
