import { StatusError } from '../../../manifests/status-error.js'

/** The result, or undefined when the API server refused for this very reason: another writer was faster. */
export async function quietly<T>(reason: string, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (error instanceof StatusError && error.reason === reason) return undefined
    throw error
  }
}
