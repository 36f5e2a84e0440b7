import 'reflect-metadata'
import { webcrypto, X509Certificate } from 'node:crypto'
import { Pkcs10CertificateRequestGenerator } from '@peculiar/x509'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ name: 'signing', defaultAccounts: false })
})
afterAll(() => server.close())

const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
interface Request {
  readonly spec: { readonly username: string }
  readonly status?: { readonly certificate?: string }
}

async function ask(name: string, signerName: string): Promise<Request> {
  const signingAlgorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
  const keys = await webcrypto.subtle.generateKey(signingAlgorithm, true, ['sign', 'verify'])
  const csr = await Pkcs10CertificateRequestGenerator.create({
    name: 'O=dev, CN=ann',
    keys,
    signingAlgorithm,
  })
  return server.local.request({
    method: 'POST',
    path,
    body: {
      metadata: { name },
      spec: {
        request: Buffer.from(csr.toString('pem')).toString('base64'),
        signerName,
        usages: ['client auth'],
        username: 'somebody-else',
      },
    },
  })
}

const approve = (name: string) =>
  server.local.request({
    method: 'PATCH',
    path: `${path}/${name}/approval`,
    contentType: 'application/merge-patch+json',
    body: { status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'fine' }] } },
  })

it('an approved CSR is signed for the requested name, and the server sets the requester', async () => {
  const made = await ask('ann', 'kubernetes.io/kube-apiserver-client')
  expect(made.spec.username).toBe('system:admin')
  await approve('ann')
  const signed = () => server.local.request<Request>({ method: 'GET', path: `${path}/ann` })
  await expect.poll(() => signed().then(request => request.status?.certificate)).toBeDefined()
  const pem = Buffer.from((await signed()).status?.certificate ?? '', 'base64')
  const certificate = new X509Certificate(pem)
  expect(certificate.subject).toBe('O=dev\nCN=ann')
  expect(certificate.verify(new X509Certificate(server.certificateAuthority).publicKey)).toBe(true)
})

it('CSRs of other signers stay unsigned', async () => {
  await ask('foreign', 'example.com/signer')
  await approve('foreign')
  await ask('own', 'kubernetes.io/kube-apiserver-client')
  await approve('own')
  const certificateOf = (name: string) =>
    server.local
      .request<Request>({ method: 'GET', path: `${path}/${name}` })
      .then(one => one.status?.certificate)
  // Requests are worked on in order, so the second one being done says that the first was passed over.
  await expect.poll(() => certificateOf('own')).toBeDefined()
  expect(await certificateOf('foreign')).toBeUndefined()
})
