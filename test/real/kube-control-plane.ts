import { ApiClient, type ApiCredentials, kubeconfigText } from './api-client.js'
import { programPath } from './build.js'
import { CertificateAuthority, createSigningKeys } from './certificates.js'
import { freePort } from './ports.js'
import type { Site } from './site.js'

/** What a control plane is for decides its admission plugins and controllers. */
export interface ControlPlaneOptions {
  /** Names its processes, files and etcd prefix. */
  readonly name: string
  readonly etcd: string
  /** Admission plugins to switch off. */
  readonly disabledAdmission?: readonly string[]
  /** Controllers of kube-controller-manager to run. */
  readonly controllers: readonly string[]
  /** Refuse everything below TLS 1.3. */
  readonly onlyTls13?: boolean
  /** Common name of the administrator's certificate; Karmada's shipped bindings name `system:admin`. */
  readonly administrator?: string
}

/** The service host names under which aggregated servers and webhooks of any control plane answer. */
export const loopbackHosts = ['localhost', '127.0.0.1']

/** A running kube-apiserver with its kube-controller-manager. */
export interface ControlPlane {
  readonly name: string
  readonly ca: CertificateAuthority
  readonly administrator: ApiCredentials
  /** A user `alice` of group `developers` whom no role names. */
  readonly alice: ApiCredentials
  readonly client: ApiClient
  /** File with the administrator's kubeconfig. */
  readonly kubeconfig: string
  /** PEM files other servers of this control plane need: the CA, and a serving certificate for the given host names. */
  readonly caFile: string
  servingFiles(server: string, hosts: readonly string[]): Promise<{ certificate: string; key: string }>
}

/** An address nobody dials: kube-apiserver refuses to advertise loopback. */
const advertisedAddress = '10.254.254.254'

/** Starts kube-apiserver and kube-controller-manager and waits until both serve. */
export async function startControlPlane(site: Site, options: ControlPlaneOptions): Promise<ControlPlane> {
  const { name } = options
  const port = await freePort()
  const url = `https://127.0.0.1:${port}`
  const ca = await CertificateAuthority.create(`${name}-ca`)
  const caFile = site.file(`${name}/ca.crt`, ca.certificate)

  const credentials = async (commonName: string, organization: string): Promise<ApiCredentials> => {
    const { certificate, key } = await ca.issue({ commonName, organizations: [organization] })
    return { url, ca: ca.certificate, clientCertificate: certificate, clientKey: key }
  }
  const administrator = await credentials(options.administrator ?? 'kubernetes-admin', 'system:masters')
  const alice = await credentials('alice', 'developers')
  const kubeconfig = site.file(`kubeconfigs/${name}.yaml`, kubeconfigText(name, administrator))
  const client = new ApiClient(administrator)

  const servingFiles = async (
    server: string,
    hosts: readonly string[],
  ): Promise<{ certificate: string; key: string }> => {
    const { certificate, key } = await ca.issue({ commonName: server, hosts: [...hosts, ...loopbackHosts] })
    return {
      certificate: site.file(`${name}/${server}/tls.crt`, certificate),
      key: site.file(`${name}/${server}/tls.key`, key),
    }
  }

  const plane = { name, ca, administrator, alice, client, kubeconfig, caFile, servingFiles }
  const signing = await createSigningKeys()
  const signingKey = site.file(`${name}/service-account.key`, signing.privateKey)
  const verifyingKey = site.file(`${name}/service-account.pub`, signing.publicKey)
  await startApiServer(site, options, plane, port, { signingKey, verifyingKey })
  await startControllerManager(site, options, plane, signingKey)
  return plane
}

async function startApiServer(
  site: Site,
  { name, etcd, disabledAdmission = [], onlyTls13 = false }: ControlPlaneOptions,
  { ca, caFile, client, servingFiles }: ControlPlane,
  port: number,
  { signingKey, verifyingKey }: { signingKey: string; verifyingKey: string },
): Promise<void> {
  const serving = await servingFiles('kube-apiserver', [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
  ])
  const frontProxyCa = await CertificateAuthority.create(`${name}-front-proxy-ca`)
  const frontProxy = await frontProxyCa.issue({ commonName: 'front-proxy-client' })
  const kubeletClient = await ca.issue({
    commonName: 'kube-apiserver-kubelet-client',
    organizations: ['system:masters'],
  })
  await site.run({
    name: `${name}-kube-apiserver`,
    command: programPath('kube-apiserver'),
    args: [
      `--etcd-servers=${etcd}`,
      `--etcd-prefix=/${name}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--advertise-address=${advertisedAddress}`,
      '--endpoint-reconciler-type=none',
      `--tls-cert-file=${serving.certificate}`,
      `--tls-private-key-file=${serving.key}`,
      `--client-ca-file=${caFile}`,
      ...(onlyTls13 ? ['--tls-min-version=VersionTLS13'] : []),
      '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
      `--service-account-key-file=${verifyingKey}`,
      `--service-account-signing-key-file=${signingKey}`,
      '--service-cluster-ip-range=10.96.0.0/16',
      '--authorization-mode=Node,RBAC',
      '--allow-privileged=true',
      '--enable-bootstrap-token-auth=true',
      `--disable-admission-plugins=${disabledAdmission.join(',')}`,
      `--proxy-client-cert-file=${site.file(`${name}/front-proxy.crt`, frontProxy.certificate)}`,
      `--proxy-client-key-file=${site.file(`${name}/front-proxy.key`, frontProxy.key)}`,
      `--requestheader-client-ca-file=${site.file(`${name}/front-proxy-ca.crt`, frontProxyCa.certificate)}`,
      '--requestheader-allowed-names=front-proxy-client',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-username-headers=X-Remote-User',
      `--kubelet-client-certificate=${site.file(`${name}/kubelet-client.crt`, kubeletClient.certificate)}`,
      `--kubelet-client-key=${site.file(`${name}/kubelet-client.key`, kubeletClient.key)}`,
      '--kubelet-preferred-address-types=InternalIP',
      '--profiling=false',
      '--shutdown-delay-duration=0s',
    ],
    isReady: () => client.answers('/readyz'),
  })
}

async function startControllerManager(
  site: Site,
  { name, controllers }: ControlPlaneOptions,
  { ca, caFile, kubeconfig, servingFiles, administrator }: ControlPlane,
  signingKey: string,
): Promise<void> {
  const port = await freePort()
  const serving = await servingFiles('kube-controller-manager', [])
  const health = new ApiClient({ ...administrator, url: `https://127.0.0.1:${port}` })
  await site.run({
    name: `${name}-kube-controller-manager`,
    command: programPath('kube-controller-manager'),
    args: [
      `--kubeconfig=${kubeconfig}`,
      `--authentication-kubeconfig=${kubeconfig}`,
      `--authorization-kubeconfig=${kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${port}`,
      `--tls-cert-file=${serving.certificate}`,
      `--tls-private-key-file=${serving.key}`,
      `--client-ca-file=${caFile}`,
      `--controllers=${controllers.join(',')}`,
      '--leader-elect=false',
      `--root-ca-file=${caFile}`,
      `--cluster-signing-cert-file=${caFile}`,
      `--cluster-signing-key-file=${site.file(`${name}/ca.key`, ca.key)}`,
      `--service-account-private-key-file=${signingKey}`,
      '--use-service-account-credentials=true',
    ],
    isReady: () => health.answers('/healthz'),
  })
}
