import { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { connectKube, type KubeConnection } from '../../../actors/kube/connection.js'
import { parseKubeconfig } from '../../../actors/kube/kubeconfig.js'
import { type ApiServer, startApiServer } from '../../../playground/apiserver/server.js'

let server: ApiServer
beforeAll(async () => {
  server = await startApiServer({ name: 'certificates' })
})
afterAll(() => server.close())
afterEach(() => void vi.restoreAllMocks())

interface SelfSubjectReview {
  readonly status: { readonly userInfo: { readonly username: string; readonly groups: readonly string[] } }
}

async function whoAmI(connection: KubeConnection): Promise<readonly string[]> {
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews'
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
  const { status } = await connection.request<SelfSubjectReview>({ method: 'POST', path, body })
  return [status.userInfo.username, ...status.userInfo.groups]
}

const connected = async (name: string, oneSession: boolean): Promise<KubeConnection> =>
  connectKube(
    parseKubeconfig(await server.kubeconfig({ name, groups: ['system:masters'] }), { local: true }),
    {
      oneSession,
      maxRequestSockets: 1,
    },
  )

describe.each([
  ['HTTP/2', true],
  ['HTTP/1.1', false],
] as const)('a client certificate over %s', (_version, oneSession) => {
  it('is decoded once for all requests of its connection', async () => {
    const read = vi.spyOn(TLSSocket.prototype, 'getPeerCertificate')
    const connection = await connected('ann', oneSession)
    for (let request = 0; request < 5; request++) await whoAmI(connection)
    await connection.close()
    // The client checks the certificate of the server as well: that one carries no common name of a user.
    const ofUsers = read.mock.results.filter(({ value }) => value?.subject?.CN === 'ann')
    expect(ofUsers).toHaveLength(1)
  })

  it('names the user of its own connection alone', async () => {
    const [ann, bob] = [await connected('ann', oneSession), await connected('bob', oneSession)]
    for (const [connection, name] of [
      [ann, 'ann'],
      [bob, 'bob'],
      [ann, 'ann'],
    ] as const)
      expect(await whoAmI(connection)).toEqual([name, 'system:masters', 'system:authenticated'])
    await Promise.all([ann.close(), bob.close()])
  })

  it('of another authority names no user', async () => {
    const other = await startApiServer({ name: 'other' })
    const foreign = parseKubeconfig(await other.kubeconfig({ name: 'ann', groups: ['system:masters'] }), {
      local: true,
    })
    const connection = await connectKube(
      {
        ...foreign,
        server: server.url,
        tls: { insecure: false, ca: { pem: new X509Certificate(server.certificateAuthority).toString() } },
      },
      { oneSession },
    )
    await expect(connection.request({ method: 'GET', path: '/api/v1/secrets' })).rejects.toThrow(
      'User "system:anonymous" cannot list resource "secrets"',
    )
    await Promise.all([connection.close(), other.close()])
  })
})
