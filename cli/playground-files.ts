import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { renderClientConfig } from './client-config.js'

/** What a playground lays out for its user. */
export interface PlaygroundSecrets {
  readonly server: string
  /** PEM of the authority that signed the management API's certificate. */
  readonly certificateAuthority: string
  readonly adminToken: string
  readonly viewerToken: string
  readonly hostKubeconfig: string
  /** Kubeconfigs of the instances by name. */
  readonly instanceKubeconfigs: Readonly<Record<string, string>>
}

/** Where it lies: paths to be used from the working folder. */
export interface PlaygroundFiles {
  readonly folder: string
  readonly clientConfig: string
  readonly certificateAuthority: string
  readonly adminToken: string
  readonly viewerToken: string
  readonly hostKubeconfig: string
  readonly instanceKubeconfigs: Readonly<Record<string, string>>
}

/** Writes the files of a playground, for their owner only. */
export async function writePlaygroundFiles(
  folder: string,
  secrets: PlaygroundSecrets,
): Promise<PlaygroundFiles> {
  const { server, certificateAuthority, adminToken: token } = secrets
  const instances = join(folder, 'instances')
  await mkdir(instances, { recursive: true, mode: 0o700 })
  const write = async (path: string, text: string): Promise<string> => {
    // A file left by an earlier run keeps its mode when it is overwritten: begin anew.
    await rm(path, { force: true })
    await writeFile(path, text, { mode: 0o600 })
    return relative('.', path) || path
  }
  const kubeconfigs = Object.entries(secrets.instanceKubeconfigs).map(async ([name, text]) => [
    name,
    await write(join(instances, `${name}.kubeconfig`), text),
  ])
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
    instanceKubeconfigs: Object.fromEntries(await Promise.all(kubeconfigs)),
  }
}

/** Takes away what was written: the credentials are worthless once the playground has stopped. */
export async function removePlaygroundFiles(files: PlaygroundFiles): Promise<void> {
  const { folder, instanceKubeconfigs, ...single } = files
  const paths = [...Object.values(single), ...Object.values(instanceKubeconfigs)]
  await Promise.all(paths.map(path => rm(path, { force: true })))
  for (const emptied of [join(folder, 'instances'), folder]) await rmdir(emptied).catch(unlessNotEmpty)
}

function unlessNotEmpty(error: unknown): void {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error
}
