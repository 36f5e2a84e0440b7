import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { ChaosControl } from '../../ports/chaos.js'
import { renderClientConfig } from '../client/client-config.js'
import { CHAOS_FILE } from './chaos.js'

/** What a playground lays out for its user. */
export interface PlaygroundSecrets {
  readonly server: string
  /** PEM of the authority that signed the management API's certificate. */
  readonly certificateAuthority: string
  readonly adminToken: string
  readonly viewerToken: string
  readonly hostKubeconfig: string
  /** How members are made to fail. */
  readonly chaos: ChaosControl
  /** Where people log in, and the password of all users there; absent where the playground has other issuers than its own. */
  readonly issuer?: { readonly url: string; readonly password: string }
  /** Kubeconfigs of the instances by name. */
  readonly instanceKubeconfigs: Readonly<Record<string, string>>
  /** Kubeconfigs of the members by name: with them a member that has left an instance joins again. */
  readonly memberKubeconfigs: Readonly<Record<string, string>>
}

/** Where it lies: paths to be used from the working folder. */
export interface PlaygroundFiles {
  readonly folder: string
  readonly clientConfig: string
  readonly certificateAuthority: string
  readonly adminToken: string
  readonly viewerToken: string
  readonly hostKubeconfig: string
  readonly chaos: string
  /** The password of the issuer's users. */
  readonly issuerPassword?: string
  readonly instanceKubeconfigs: Readonly<Record<string, string>>
  readonly memberKubeconfigs: Readonly<Record<string, string>>
}

/** Folders of kubeconfigs below that of a playground. */
const KUBECONFIG_FOLDERS = ['instances', 'members'] as const

/** Writes the files of a playground, for their owner only. When one cannot be written, those written before are removed. */
export async function writePlaygroundFiles(
  folder: string,
  secrets: PlaygroundSecrets,
): Promise<PlaygroundFiles> {
  const contents = new Map<string, string>()
  try {
    const files = await writeAll(folder, secrets, contents)
    written.set(files, contents)
    return files
  } catch (error) {
    for (const path of contents.keys()) await rm(path, { force: true })
    for (const below of KUBECONFIG_FOLDERS) await removeEmptyFolder(join(folder, below))
    throw error
  }
}

/** @param contents receives the text of each file before that is written */
async function writeAll(
  folder: string,
  secrets: PlaygroundSecrets,
  contents: Map<string, string>,
): Promise<PlaygroundFiles> {
  const { server, certificateAuthority, adminToken: token, chaos, issuer } = secrets
  const write = async (path: string, text: string): Promise<string> => {
    // A file left by an earlier run keeps its mode when it is overwritten: remove it first.
    await rm(path, { force: true })
    contents.set(relative('.', path) || path, text)
    await writeFile(path, text, { mode: 0o600 }).catch(error => {
      // Node names no path when a disk is full.
      throw error instanceof Error ? Object.assign(error, { path }) : error
    })
    return relative('.', path) || path
  }
  const writeKubeconfigs = async (
    below: (typeof KUBECONFIG_FOLDERS)[number],
    texts: Readonly<Record<string, string>>,
  ): Promise<Readonly<Record<string, string>>> => {
    await mkdir(join(folder, below), { recursive: true, mode: 0o700 })
    const paths: [name: string, path: string][] = []
    for (const [name, text] of Object.entries(texts))
      paths.push([name, await write(join(folder, below, `${name}.kubeconfig`), text)])
    return Object.fromEntries(paths)
  }
  const instanceKubeconfigs = await writeKubeconfigs('instances', secrets.instanceKubeconfigs)
  const memberKubeconfigs = await writeKubeconfigs('members', secrets.memberKubeconfigs)
  return {
    folder: relative('.', folder) || '.',
    clientConfig: await write(
      join(folder, 'client.yaml'),
      renderClientConfig({ server, certificateAuthorityData: certificateAuthority, token }),
    ),
    certificateAuthority: await write(join(folder, 'ca.crt'), certificateAuthority),
    adminToken: await write(join(folder, 'admin.token'), token),
    viewerToken: await write(join(folder, 'viewer.token'), secrets.viewerToken),
    hostKubeconfig: await write(join(folder, 'host.kubeconfig'), secrets.hostKubeconfig),
    chaos: await write(join(folder, CHAOS_FILE), `${JSON.stringify(chaos)}\n`),
    ...(issuer && { issuerPassword: await write(join(folder, 'issuer.password'), issuer.password) }),
    instanceKubeconfigs,
    memberKubeconfigs,
  }
}

/** What each of our files says, by path. */
const written = new WeakMap<PlaygroundFiles, ReadonlyMap<string, string>>()

/**
 * Takes away what was written: the credentials are worthless once the playground has stopped. What another playground has
 * written in their place is not ours.
 */
export async function removePlaygroundFiles(files: PlaygroundFiles): Promise<void> {
  const { folder } = files
  const removals = [...(written.get(files) ?? [])].map(async ([path, text]) => {
    if ((await textOf(path)) === text) await rm(path, { force: true })
  })
  await Promise.all(removals)
  for (const emptied of [...KUBECONFIG_FOLDERS.map(below => join(folder, below)), folder])
    await removeEmptyFolder(emptied)
}

/** Removes a folder unless something is in it. */
export const removeEmptyFolder = (folder: string): Promise<void> => rmdir(folder).catch(unlessNotEmpty)

/** Undefined for a file that is gone. */
const textOf = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch(error => {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  })

/** Another playground may have put something there, or have taken it away; what never was a folder is not ours. */
function unlessNotEmpty(error: unknown): void {
  if (!['ENOTEMPTY', 'ENOENT', 'ENOTDIR'].includes(String(codeOf(error)))) throw error
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : undefined
