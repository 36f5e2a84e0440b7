import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import type { KubeObject } from '../../manifests/kube.js'

/** The repository's root: YAML is read where it lies, also by the compiled program. */
function root(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder)
      throw new Error('cannot find the manifests/ folder: no package.json above this program')
    folder = parent
  }
  return folder
}

function documents(folder: string): KubeObject[] {
  const path = join(root(), 'manifests', folder)
  return readdirSync(path)
    .filter(file => file.endsWith('.yaml'))
    .sort()
    .flatMap(file => parseAllDocuments(readFileSync(join(path, file), 'utf8')))
    .map(document => document.toJS() as KubeObject | null)
    .filter(object => object !== null)
}

/** Kairship's CustomResourceDefinitions. */
export const kairshipDefinitions = (): readonly KubeObject[] => documents('crds')

/** What installs Kairship, except the workloads: in the playground Kairship is this process. */
export const kairshipInstallation = (): readonly KubeObject[] =>
  documents('install').filter(
    ({ kind }) => kind !== 'Deployment' && kind !== 'Service' && kind !== 'PodDisruptionBudget',
  )
