import type { JsonObject } from '../../apimachinery/json.js'

/** The Kubernetes whose behaviour this server reproduces. */
export const DEFAULT_GIT_VERSION = 'v1.34.2'

/** GET /version. @param gitVersion as a kube-apiserver of that release reports it */
export function version(gitVersion: string): JsonObject {
  const [, major = '1', minor = '34'] = /^v(\d+)\.(\d+)/.exec(gitVersion) ?? []
  return {
    major,
    minor,
    gitVersion,
    gitCommit: '0000000000000000000000000000000000000000',
    gitTreeState: 'clean',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.24.6',
    compiler: 'gc',
    platform: 'linux/amd64',
  }
}
