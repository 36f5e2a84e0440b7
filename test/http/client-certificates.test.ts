import { Metadata } from '@grpc/grpc-js'
import { describe, expect, it } from 'vitest'
import { type CertificateAuthority, createAuthority } from '../../playground/apiserver/access/certificates.js'
import { closedAfterEach, curl, grpcClient, unary } from './fakes/listening.js'

const listening = closedAfterEach()
const path = '/apis/kairship.io/v1alpha1/instances'

describe('client certificates', () => {
  let authority: CertificateAuthority
  const withAuthority = async () => {
    authority = await createAuthority('clients')
    return listening(undefined, { clientCertificateAuthority: authority.certificate })
  }
  const presenting = ({ certificate, key }: { certificate: string; key: string }) => ({
    cert: certificate,
    key,
  })

  it('identify the caller over REST and gRPC: CN is the user, O the groups', async () => {
    const { running, host } = await withAuthority()
    const identity = presenting(await authority.issueClient({ name: 'viewer', groups: ['team-a', 'team-b'] }))
    expect((await curl(running, path, identity)).status).toBe(200)
    const client = grpcClient(running, identity)
    const { error } = await unary(client, 'DeleteInstance', { name: 'north' }, new Metadata())
    expect(error?.details).toContain('User "viewer" cannot delete')
    client.close()
    const review = host.requests.find(({ path }) => path.endsWith('/subjectaccessreviews'))
    expect(review?.body).toMatchObject({ spec: { groups: ['team-a', 'team-b', 'system:authenticated'] } })
  })

  it('of another authority are ignored, and a token beside one still counts', async () => {
    const { running } = await withAuthority()
    const stranger = presenting(
      await (await createAuthority('others')).issueClient({ name: 'admin', groups: [] }),
    )
    expect((await curl(running, path, stranger)).status).toBe(401)
    expect((await curl(running, path, { ...stranger, token: 'viewer' })).status).toBe(200)
    const client = grpcClient(running, stranger)
    const { error } = await unary(client, 'ListInstances', {}, new Metadata())
    expect(error?.code).toBe(16)
    client.close()
  })

  it('are not requested where no authority is configured', async () => {
    const { running } = await listening()
    const identity = presenting(await (await createAuthority('x')).issueClient({ name: 'admin', groups: [] }))
    expect((await curl(running, path, identity)).status).toBe(401)
  })
})
