import { isObject, listAt, objectAt, stringAt, withAt } from '../../apimachinery/json.js'
import { SIGNING_REQUESTS } from '../access/certificates.js'
import type { Cluster } from '../cluster.js'
import type { Collection, StoreEvent } from '../store/collection.js'
import type { StoredObject } from '../store/stored-object.js'
import { type Controller, WorkQueue } from './controller.js'
import { change } from './internal-write.js'

/** The one signer whose certificates mean something here: they authenticate clients of this API server. */
const SIGNER = 'kubernetes.io/kube-apiserver-client'
/** Kubernetes' shortest and longest validity, in seconds. */
const SECONDS = { least: 600, most: 365 * 86_400 } as const

/** Signs approved CertificateSigningRequests for kube-apiserver-client, under the name the request asks for. */
export class CertificateSigner implements Controller {
  readonly #queue: WorkQueue

  constructor(private readonly cluster: Cluster) {
    this.#queue = new WorkQueue('certificate-signer', cluster, name => this.#sign(name))
    for (const request of cluster.collection(SIGNING_REQUESTS).values()) this.#notice(request)
  }

  observe(collection: Collection, { type, current }: StoreEvent): void {
    if (collection.id === SIGNING_REQUESTS && type !== 'DELETED') this.#notice(current)
  }

  close(): Promise<void> {
    return this.#queue.close()
  }

  #notice({ name, object }: StoredObject): void {
    const conditions = listAt(object, 'status', 'conditions').filter(isObject)
    const is = (type: string) => conditions.some(one => one.type === type)
    const signed = stringAt(object, 'status', 'certificate') !== ''
    if (!signed && is('Approved') && !is('Denied') && !is('Failed')) this.#queue.add(name)
  }

  async #sign(name: string): Promise<boolean> {
    const { cluster } = this
    const request = cluster.collection(SIGNING_REQUESTS).get(name)
    if (!request || stringAt(request.object, 'spec', 'signerName') !== SIGNER) return true
    const spec = objectAt(request.object, 'spec')
    const requested = typeof spec.expirationSeconds === 'number' ? spec.expirationSeconds : SECONDS.most
    const seconds = Math.min(SECONDS.most, Math.max(SECONDS.least, requested))
    const { subject, publicKey } = await readRequest(
      Buffer.from(stringAt(spec, 'request'), 'base64').toString(),
    )
    const certificate = cluster.authority.certifyClient(publicKey, subject, seconds)
    await change(cluster, SIGNING_REQUESTS, { name, subresource: 'status' }, current =>
      withAt(current, ['status', 'certificate'], Buffer.from(certificate).toString('base64')),
    )
    return true
  }
}

/** Reads a PKCS#10 request (PEM). The library is loaded only when a request comes: it costs a third of a second. */
async function readRequest(pem: string) {
  await import('reflect-metadata')
  const { Pkcs10CertificateRequest } = await import('@peculiar/x509')
  const request = new Pkcs10CertificateRequest(pem)
  if (!(await request.verify()))
    throw new Error('the signature of the certificate request does not fit its key')
  const { subjectName } = request
  return {
    subject: { name: subjectName.getField('CN')[0] ?? '', groups: subjectName.getField('O') },
    publicKey: Buffer.from(request.publicKey.rawData),
  }
}
