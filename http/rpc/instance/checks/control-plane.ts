import type { InstanceStatus } from '../../../../manifests/instance.js'
import type { KubeObject } from '../../../../manifests/kube.js'
import { StatusError } from '../../../../manifests/status-error.js'
import { type KubeApi, UnreachableError, UnusableAnswerError } from '../../../../ports/kube-api.js'
import { deadlineExceeded, type Failure, failedPrecondition, unavailable } from '../../../errors/failure.js'

/** How long the control plane may take for one answer, milliseconds: less than all checks, so that the message says which answer is late. */
const ANSWER_MS = 4_000
/** Each answer is a line, one object or one list of types. */
const LARGEST_ANSWER = 1 << 20
const AGGREGATED_API = '/apis/cluster.karmada.io/v1alpha1'
const CERTIFICATE = /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|HOSTNAME_MISMATCH/

/** The facts of a control plane that were read from it. */
type Found = Required<Pick<InstanceStatus, 'controlPlaneID' | 'kubernetesVersion'>>

/**
 * Asks a control plane what the probe of an Instance asks (`actors/instance/observers/probe.ts`), one request after the other: the first problem is
 * the cause of the others.
 */
export class ControlPlaneCheck {
  /** @param secret of the kubeconfig, as messages name it */
  constructor(
    private readonly api: Pick<KubeApi, 'request' | 'server'>,
    private readonly secret: string,
    private readonly signal: AbortSignal,
  ) {}

  /**
   * @throws Failure UNAVAILABLE or DEADLINE_EXCEEDED ClusterUnreachable, UNAVAILABLE ClusterNotReady, FAILED_PRECONDITION ClusterRefused, NotKarmada
   */
  async run(): Promise<Found> {
    if ((await this.#get('/readyz')) !== 'ok') throw this.#notReady('GET /readyz does not answer ok')
    const home = await this.#get<KubeObject | undefined>('/api/v1/namespaces/kube-system')
    const controlPlaneID = home?.metadata?.uid
    const types = await this.#get<{ readonly resources?: readonly { readonly name?: string }[] } | undefined>(
      AGGREGATED_API,
    )
    if (!types?.resources?.some(({ name }) => name === 'clusters')) throw this.#notKarmada()
    const version = await this.#get<{ readonly gitVersion?: string } | undefined>('/version')
    if (!controlPlaneID || !version?.gitVersion) throw this.#noApiServer('its answers are incomplete')
    return { controlPlaneID, kubernetesVersion: version.gitVersion }
  }

  async #get<T>(path: string): Promise<T> {
    try {
      const { signal } = this
      const bounds = { timeoutMs: ANSWER_MS, maxAnswerBytes: LARGEST_ANSWER }
      return await this.api.request<T>({ method: 'GET', path, signal, ...bounds })
    } catch (error) {
      throw this.#explained(error, path)
    }
  }

  get #where(): string {
    return `${this.api.server} (${this.secret})`
  }

  #explained(error: unknown, path: string): unknown {
    if (error instanceof UnreachableError) return this.#unreachable(error)
    if (error instanceof UnusableAnswerError) return this.#noApiServer(error.message, error)
    if (!(error instanceof StatusError)) return error
    const { code, reason } = error
    const isAggregated = path === AGGREGATED_API
    if (isAggregated && code === 404) return this.#notKarmada(error)
    if (isAggregated && code === 503)
      return this.#notReady(
        'cluster.karmada.io/v1alpha1 is registered, and karmada-aggregated-apiserver does not answer',
        error,
      )
    if (code >= 500) return this.#notReady(`GET ${path} answers ${code}`, error)
    // Whatever listens there: only the text of an API server is shown to the caller.
    if (reason === '' && code !== 401 && code !== 403)
      return this.#noApiServer(`GET ${path} answers ${code}`, error)
    const said = reason === '' ? code : error.message
    return failedPrecondition(
      code === 401
        ? `${this.#where} does not accept the credential of its kubeconfig: ${said}. Put a kubeconfig with a credential that counts into the Secret`
        : `${this.#where} refuses GET ${path}: ${said}. Kairship needs the rights of cluster-admin there`,
      { reason: 'ClusterRefused', cause: error },
    )
  }

  #unreachable(error: UnreachableError): Failure {
    const build = error.code === 'DEADLINE' ? deadlineExceeded : unavailable
    const remedy = CERTIFICATE.test(error.code)
      ? '. Its certificate does not verify: put the authority that issued it into certificate-authority-data of the kubeconfig'
      : ''
    return build(`${this.#where} cannot be reached by Kairship: ${error.message}${remedy}`, {
      reason: 'ClusterUnreachable',
      cause: error,
    })
  }

  #notReady(problem: string, cause?: unknown): Failure {
    return unavailable(`${this.#where} is not ready: ${problem}`, { reason: 'ClusterNotReady', cause })
  }

  #noApiServer(problem: string, cause?: unknown): Failure {
    return failedPrecondition(`${this.#where} is no API server of Kubernetes: ${problem}`, {
      reason: 'NotKarmada',
      cause,
    })
  }

  #notKarmada(cause?: unknown): Failure {
    return failedPrecondition(
      `${this.#where} is no Karmada control plane: it does not serve clusters of cluster.karmada.io/v1alpha1. Put the kubeconfig of karmada-apiserver into the Secret, not that of a cluster`,
      { reason: 'NotKarmada', cause },
    )
  }
}
