import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadAll } from 'js-yaml'
import { packageRoot } from '../../config/package-root.js'
import type { KubeObject } from '../../manifests/kube.js'

/** Read where it lies, also by the compiled program. js-yaml, because a cold `yaml` takes 0.3 s of CPU longer for these files. */
function documents(folder: string): KubeObject[] {
  const path = join(packageRoot(), 'manifests', folder)
  return readdirSync(path)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .flatMap(file => loadAll(readFileSync(join(path, file), 'utf8')) as readonly (KubeObject | null)[])
    .filter(object => object !== null)
}

/** Kairship's CustomResourceDefinitions. */
export const kairshipDefinitions = (): readonly KubeObject[] => documents('crds')

/** What installs Kairship, except the workloads: in the playground Kairship is this process. */
export const kairshipInstallation = (): readonly KubeObject[] =>
  documents('install').filter(
    ({ kind }) => kind !== 'Deployment' && kind !== 'Service' && kind !== 'PodDisruptionBudget',
  )
