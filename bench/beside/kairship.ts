import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { instanceName } from '../../playground/fleet/names.js'
import { Measured } from '../proxy/process.js'

/** What the callers read: its version, which a control plane answers and no index. */
export const ASKED = '/version'
/** The same of the first instance, through the proxy and in a caller's name. */
export const IMPERSONATED = `/apis/kairship.io/v1alpha1/instances/${instanceName(0)}/proxy${ASKED}`

/**
 * Kairship in front of a stand-in: one process that leads and serves, or an API server beside a controller manager.
 * @param options.core the core of the process that serves
 */
export async function startKairship(
  kubeconfig: string,
  { apart, core }: { readonly apart: boolean; readonly core: number | undefined },
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'kairship-bench-'))
  const file = join(folder, 'kubeconfig')
  writeFileSync(file, kubeconfig, { mode: 0o600 })
  const program = fileURLToPath(new URL('../../kairship.js', import.meta.url))
  const common = ['--kubeconfig', file, '--log-format', 'json', '--health-listen', '127.0.0.1:0']
  const run = (name: string, more: readonly string[], at: number | undefined): Measured =>
    new Measured(
      name,
      process.execPath,
      [program, name, ...common, ...more],
      at === undefined ? {} : { core: at },
    )
  const serving = ['--listen', '127.0.0.1:0', '--grpc-listen', '127.0.0.1:0']
  const started = apart
    ? [run('apiserver', serving, core), run('controller-manager', [], undefined)]
    : [run('serve', serving, core)]
  const stop = async (): Promise<void> => {
    await Promise.all(started.map(each => each.stop()))
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    const [line] = (await started[0]?.says(/^.*"the API is listening".*$/m)) ?? ['']
    return { url: (JSON.parse(line) as { url: string }).url, stop }
  } catch (error) {
    await stop()
    throw error
  }
}
