import type { ApiServer } from '../apiserver/server.js'
import { kubeconfigOf, toBase64 } from '../client/kubeconfig.js'
import { issueAccountToken, type KairshipAccount, PEOPLE } from './host.js'

const YEAR_SECONDS = 365 * 86_400

/** How Kairship and the playground's people get in; everything is valid for a year. */
export interface Credentials {
  readonly kubeconfigs: {
    /** The host, as an administrator (client certificate). */
    readonly admin: string
    /** The host, as Kairship's own accounts (tokens): with the rights its manifests give, no more. */
    readonly controllerManager: string
    readonly apiserver: string
  }
  /** Bearer tokens of people, accepted by the host's TokenReview. */
  readonly tokens: { readonly admin: string; readonly viewer: string }
}

/** Issues credentials for a host. */
export async function issueCredentials(host: ApiServer): Promise<Credentials> {
  const accountKubeconfig = async (account: KairshipAccount) =>
    kubeconfigOf(account, {
      server: host.url,
      certificateAuthorityData: toBase64(host.certificateAuthority),
      token: await issueAccountToken(host, account, YEAR_SECONDS),
    })
  return {
    kubeconfigs: {
      admin: await host.kubeconfig({ name: PEOPLE.admin.name }),
      controllerManager: await accountKubeconfig('kairship-controller-manager'),
      apiserver: await accountKubeconfig('kairship-apiserver'),
    },
    tokens: {
      admin: await host.issueToken({ name: PEOPLE.admin.name }, YEAR_SECONDS),
      viewer: await host.issueToken({ name: PEOPLE.viewer.name }, YEAR_SECONDS),
    },
  }
}
