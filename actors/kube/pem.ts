import { readFile } from 'node:fs/promises'
import { KubeconfigError } from '../../ports/kube-api.js'
import type { PemSource } from './kubeconfig.js'

/** Reads a PEM source. @throws KubeconfigError when its file cannot be read */
export async function readPem(source: PemSource): Promise<string> {
  return 'pem' in source ? source.pem : readText(source.file)
}

/** Reads a file that a kubeconfig names. @throws KubeconfigError when it cannot be read */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new KubeconfigError(`kubeconfig: cannot read ${file}`, { cause })
  }
}
