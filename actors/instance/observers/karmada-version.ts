import { type KubeObject, resourcePath } from '../../../manifests/kube.js'
import { isForbidden, isNotFound } from '../../../manifests/status-error.js'

/**
 * Where Karmada's own Helm chart (v1.11 or later) notes what it installed, inside the control plane. Nothing else that is
 * reachable through a Karmada shows its version: `/version` is that of its kube-apiserver, and the components keep theirs
 * in their logs and metrics.
 */
export const KARMADA_VERSION_NOTE = resourcePath(
  { group: '', version: 'v1', resource: 'configmaps' },
  { namespace: 'karmada-system', name: 'karmada-version' },
)

interface Note extends KubeObject {
  readonly data?: Readonly<Record<string, string>>
}

/**
 * The version that a control plane notes of itself, e.g. `v1.18.2`; undefined where there is no note, where the credential
 * may not read it, or where it is no release (`latest`).
 * @throws whatever else `get` fails with: it says nothing about the version
 */
export async function karmadaVersionOf(get: (path: string) => Promise<unknown>): Promise<string | undefined> {
  try {
    const { data } = (await get(KARMADA_VERSION_NOTE)) as Note
    const noted = data?.karmadaVersion ?? ''
    return /^v?\d+\.\d+\.\d+/.test(noted) ? noted : undefined
  } catch (error) {
    if (isNotFound(error) || isForbidden(error)) return undefined
    throw error
  }
}
