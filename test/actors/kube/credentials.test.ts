import { rename, writeFile } from 'node:fs/promises'
import type { ServerOptions } from 'node:https'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectKube, type KubeConnection } from '../../../actors/kube/connection.js'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { parseKubeconfig } from '../../../actors/kube/kubeconfig.js'
import {
  type CertificateAuthority,
  createAuthority,
  type KeyPair,
} from '../../../playground/apiserver/access/certificates.js'
import { type KubeApi, KubeconfigError } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { base64, kubeconfig, ownFolder, type Parts } from './a-kubeconfig.js'
import { json, type ScriptedServer, scriptedServer } from './scripted-server.js'

const folder = ownFolder()

describe('a connection with the credentials of a kubeconfig', () => {
  let issuer: CertificateAuthority
  let serving: { cert: string; key: string }
  let client: KeyPair
  let server: ScriptedServer | undefined
  let api: KubeApi | undefined
  beforeAll(async () => {
    issuer = await createAuthority('test authority')
    const { certificate, key } = await issuer.issueServing(['127.0.0.1', 'inner.test'])
    serving = { cert: certificate, key }
    client = await issuer.issueClient({ name: 'kairship', groups: [] })
  })
  afterEach(async () => {
    await api?.close()
    await server?.close()
  })

  const serve = async (answer: Parameters<typeof scriptedServer>[0], tls: ServerOptions = serving) => {
    server = await scriptedServer(answer, tls)
    return server
  }
  const trusting = (ca: string) => ({ 'certificate-authority-data': base64(ca) })
  const get = async (parts: Parts) => {
    api = await kubeConnector().connect(kubeconfig({ server: server!.url, ...parts }))
    return api.request({ method: 'GET', path: '/' })
  }

  it('verifies the server against the authority of the kubeconfig', async () => {
    await serve((_, response) => json(response, 200, 'hello'))
    expect(await get({ cluster: trusting(issuer.certificate) })).toBe('hello')
    expect(api!.insecure).toBe(false)
  })

  it('refuses a server of another authority, of none, or of another name', async () => {
    await serve((_, response) => json(response, 200, 'hello'))
    const stranger = await createAuthority('stranger')
    await expect(get({ cluster: trusting(stranger.certificate) })).rejects.toMatchObject({
      name: 'UnreachableError',
      code: expect.stringMatching(/CERT|VERIFY/),
    })
    await expect(get({})).rejects.toMatchObject({ name: 'UnreachableError' })
    await expect(
      get({ cluster: { ...trusting(issuer.certificate), 'tls-server-name': 'other.test' } }),
    ).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    expect(server!.received).toHaveLength(0)
  })

  it('verifies the server name that the kubeconfig gives', async () => {
    await serve((_, response) => json(response, 200, 'hello'))
    expect(await get({ cluster: { ...trusting(issuer.certificate), 'tls-server-name': 'inner.test' } })).toBe(
      'hello',
    )
  })

  it('skips verification only when the kubeconfig asks for it, and reports that', async () => {
    await serve((_, response) => json(response, 200, 'hello'))
    expect(await get({ cluster: { 'insecure-skip-tls-verify': true } })).toBe('hello')
    expect(api!.insecure).toBe(true)
  })

  it('presents its client certificate', async () => {
    const seen: string[] = []
    server = await scriptedServer(
      (_, response) => {
        seen.push((response.req.socket as TLSSocket).getPeerCertificate().subject.CN as string)
        json(response, 200, {})
      },
      { ...serving, ca: issuer.certificate, requestCert: true, rejectUnauthorized: true },
    )
    await get({
      cluster: trusting(issuer.certificate),
      user: { 'client-certificate-data': base64(client.certificate), 'client-key-data': base64(client.key) },
    })
    expect(seen).toEqual(['kairship'])
  })

  it('refuses unusable certificates before any request', async () => {
    const other = await issuer.issueClient({ name: 'other', groups: [] })
    const broken = base64('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')
    const connect = (parts: Parts) => kubeConnector().connect(kubeconfig(parts))
    await expect(connect({ cluster: { 'certificate-authority-data': broken } })).rejects.toBeInstanceOf(
      KubeconfigError,
    )
    const mismatched = {
      'client-certificate-data': base64(client.certificate),
      'client-key-data': base64(other.key),
    }
    await expect(connect({ user: mismatched })).rejects.toThrow(/the certificates cannot be used/)
  })

  it('reads a token file again when the server refuses its token', async () => {
    const tokens: (string | undefined)[] = []
    await serve(({ headers }, response) => {
      tokens.push(headers.authorization)
      json(response, headers.authorization === 'Bearer new' ? 200 : 401, {})
    })
    const tokenFile = join(folder.path, 'token')
    await writeFile(tokenFile, 'old\n')
    const text = kubeconfig({
      server: server!.url,
      cluster: trusting(issuer.certificate),
      user: { tokenFile },
    })
    api = await connectKube(parseKubeconfig(text, { local: true }))
    await writeFile(`${tokenFile}.next`, 'new\n')
    await rename(`${tokenFile}.next`, tokenFile)
    await expect(api.request({ method: 'GET', path: '/' })).rejects.toMatchObject({ code: 401 })
    await api.request({ method: 'GET', path: '/' })
    expect(tokens).toEqual(['Bearer old', 'Bearer new'])
  })

  it('fails with the name of a missing token file, and works once the file exists', async () => {
    await serve((_, response) => json(response, 200, 'hello'))
    const tokenFile = join(folder.path, 'token')
    const text = kubeconfig({
      server: server!.url,
      cluster: trusting(issuer.certificate),
      user: { tokenFile },
    })
    const connect = () => connectKube(parseKubeconfig(text, { local: true }))
    await expect(connect()).rejects.toThrow(`cannot read ${tokenFile}`)
    await writeFile(tokenFile, 't')
    api = await connect()
    expect(await api.request({ method: 'GET', path: '/' })).toBe('hello')
  })

  describe('with an exec plugin', () => {
    const plugin = async (script: string) => {
      const path = join(folder.path, 'plugin.mjs')
      await writeFile(path, script)
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: [path],
        env: [{ name: 'FOLDER', value: folder.path }],
        provideClusterInfo: true,
      }
      const text = kubeconfig({ server: server!.url, cluster: trusting(issuer.certificate), user: { exec } })
      api = await connectKube(parseKubeconfig(text, { local: true }))
      return api as KubeConnection
    }
    /** Prints a credential whose token counts the runs. */
    const counting = (expires: string) => `
      import { appendFileSync, readFileSync } from 'node:fs'
      appendFileSync(process.env.FOLDER + '/runs', 'x')
      const info = JSON.parse(process.env.KUBERNETES_EXEC_INFO)
      const token = readFileSync(process.env.FOLDER + '/runs', 'utf8').length + info.spec.cluster.server.slice(0, 5)
      console.log(JSON.stringify({ apiVersion: info.apiVersion, kind: 'ExecCredential', status: { token, expirationTimestamp: ${expires} } }))`

    it('runs it once for many requests, and again after a 401', async () => {
      const tokens: (string | undefined)[] = []
      await serve(({ headers }, response) => {
        tokens.push(headers.authorization)
        json(response, headers.authorization === 'Bearer 1https' && tokens.length > 3 ? 401 : 200, {})
      })
      const connection = await plugin(counting('undefined'))
      const ask = () => connection.request({ method: 'GET', path: '/' })
      await Promise.all([ask(), ask(), ask()])
      await expect(ask()).rejects.toMatchObject({ code: 401 })
      await ask()
      expect(tokens).toEqual([...Array(4).fill('Bearer 1https'), 'Bearer 2https'])
    })

    it('runs it again when its credential has expired', async () => {
      await serve((_, response) => json(response, 200, {}))
      const connection = await plugin(counting('new Date(Date.now() + 5000).toISOString()')) // within the margin
      for (let i = 0; i < 2; i++) await connection.request({ method: 'GET', path: '/' })
      expect(server!.received.map(({ headers }) => headers.authorization)).toEqual([
        'Bearer 1https',
        'Bearer 2https',
      ])
    })

    it.each([
      ['fails', 'process.exit(3)', /: failed$/],
      ['prints something else', 'console.log("hello")', /did not print an ExecCredential$/],
      [
        'prints another version',
        'console.log(JSON.stringify({apiVersion:"v0",kind:"ExecCredential",status:{token:"t"}}))',
        /printed v0 where/,
      ],
      [
        'prints nothing to use',
        'console.log(JSON.stringify({apiVersion:"client.authentication.k8s.io/v1",kind:"ExecCredential",status:{}}))',
        /neither a token nor a certificate/,
      ],
    ])('reports when it %s', async (_, script, message) => {
      await serve((_, response) => json(response, 200, {}))
      const connection = await plugin(script)
      await expect(connection.request({ method: 'GET', path: '/' })).rejects.toThrow(message)
      expect(server!.received).toHaveLength(0)
    })

    it('presents the certificate that it printed, and replaces sockets when the certificate changes', async () => {
      const next = await issuer.issueClient({ name: 'second', groups: [] })
      const seen: string[] = []
      server = await scriptedServer(
        (_, response) => {
          seen.push((response.req.socket as TLSSocket).getPeerCertificate().subject.CN as string)
          json(response, seen.length === 2 ? 401 : 200, {})
        },
        { ...serving, ca: issuer.certificate, requestCert: true, rejectUnauthorized: true },
      )
      const status = ({ certificate, key }: KeyPair) => ({
        clientCertificateData: certificate,
        clientKeyData: key,
      })
      await writeFile(join(folder.path, 'status'), JSON.stringify(status(client)))
      const connection = await plugin(`
        import { readFileSync } from 'node:fs'
        const status = JSON.parse(readFileSync(process.env.FOLDER + '/status', 'utf8'))
        console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }))`)
      const ask = () => connection.request({ method: 'GET', path: '/' })
      await ask()
      await writeFile(join(folder.path, 'status'), JSON.stringify(status(next)))
      await ask().catch(() => undefined)
      await ask()
      expect(seen).toEqual(['kairship', 'kairship', 'second'])
      await waitFor(() => expect(server!.sockets.size).toBe(1))
    })
  })
})
