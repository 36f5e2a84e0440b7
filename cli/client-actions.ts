import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import type { Config } from '../config.js'
import { createClient } from './client.js'
import { resolveClient } from './client-config.js'
import { describeInstance } from './describe-instance.js'
import { doorKubeconfig } from './door-kubeconfig.js'
import { ExitCode } from './exit-code.js'
import { type Asking, getInstances } from './get-instances.js'
import { kubeconfigAnswer } from './instance-message.js'
import type { Actions, ServerActions, Surroundings } from './program.js'
import { versionText } from './version.js'

/** The commands that ask a running Kairship. */
export function clientActions({
  terminal: { out, err },
  interrupted: signal,
}: Surroundings): Omit<Actions, keyof ServerActions> {
  const asking = async (config: Config, ask: (asking: Asking) => Promise<ExitCode>): Promise<ExitCode> => {
    const client = createClient(resolveClient(config, readIfThere), config)
    try {
      return await ask({ client, out, err, signal, now: Date.now, pause })
    } finally {
      await client.close()
    }
  }
  return {
    'get instances': (config, ...names) => asking(config, it => getInstances(it, config, names)),
    'describe instance': (config, name = '') => asking(config, it => describeInstance(it, config, name)),
    kubeconfig: (config, instance = '') =>
      asking(config, async ({ client }) => {
        const path = `/apis/kairship.io/v1alpha1/instances/${encodeURIComponent(instance)}/kubeconfig`
        const { kubeConfigString } = kubeconfigAnswer.parse(await client.get(path))
        out(doorKubeconfig(kubeConfigString, resolveClient(config, readIfThere)))
        return ExitCode.ok
      }),
    version: async ({ output }) => {
      const version = { kairship: versionText(), node: process.version }
      out(
        output === 'json'
          ? `${JSON.stringify(version)}\n`
          : `kairship ${version.kairship} (Node.js ${version.node})\n`,
      )
      return ExitCode.ok
    },
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
