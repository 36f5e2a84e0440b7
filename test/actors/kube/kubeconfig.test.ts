import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import type { ServerOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectKube, type KubeConnection } from '../../../actors/kube/connection.js'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { connectionDigest, mergeKubeconfigs, parseKubeconfig } from '../../../actors/kube/kubeconfig.js'
import { loadKubeconfig } from '../../../actors/kube/load-kubeconfig.js'
import {
  type CertificateAuthority,
  createAuthority,
  type KeyPair,
} from '../../../playground/apiserver/access/certificates.js'
import { type KubeApi, KubeconfigError } from '../../../ports/kube-api.js'
import { waitFor } from '../../patience.js'
import { json, type ScriptedServer, scriptedServer } from './scripted-server.js'

interface Parts {
  server?: string
  cluster?: object
  user?: object
}

const kubeconfig = ({ server = 'https://127.0.0.1:6443', cluster = {}, user = {} }: Parts = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'here', context: { cluster: 'c', user: 'u' } }],
  })

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const secret = 's3cr3t-never-shown'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kairship-kubeconfig-'))
})
afterEach(() => rm(folder, { recursive: true }))

describe('parseKubeconfig', () => {
  const trusted = { local: true, folder: '/etc/kube' }

  it('resolves the current context, or the one asked for', () => {
    const text = `
      current-context: a
      clusters:
        - {name: one, cluster: {server: "https://one:6443/"}}
        - {name: two, cluster: {server: "https://two/prefix/"}}
      users: [{name: u, user: {token: t}}]
      contexts:
        - {name: a, context: {cluster: one, user: u, namespace: n}}
        - {name: b, context: {cluster: two}}`
    expect(parseKubeconfig(text, trusted)).toEqual({
      server: 'https://one:6443',
      context: 'a',
      namespace: 'n',
      tls: { insecure: false },
      credential: { token: 't' },
    })
    expect(parseKubeconfig(text, trusted, 'b')).toMatchObject({
      server: 'https://two/prefix',
      credential: {},
    })
  })

  it('lets embedded data win over files, and refers files to its own folder', () => {
    const user = { 'client-certificate': 'me.crt', 'client-key': '/abs/me.key', tokenFile: 'token' }
    expect(parseKubeconfig(kubeconfig({ user }), trusted).credential).toEqual({
      certificate: { cert: { file: '/etc/kube/me.crt' }, key: { file: '/abs/me.key' } },
      tokenFile: '/etc/kube/token',
    })
    const ca = '-----BEGIN CERTIFICATE-----'
    const cluster = { 'certificate-authority': 'ca.crt', 'certificate-authority-data': base64(ca) }
    expect(parseKubeconfig(kubeconfig({ cluster }), trusted).tls.ca).toEqual({ pem: ca })
  })

  it('reads several files as one, the first definition winning', () => {
    const first =
      'contexts: [{name: x, context: {cluster: c, user: u}}]\nusers: [{name: u, user: {tokenFile: t}}]'
    const config = mergeKubeconfigs(
      [
        { text: first, local: true, folder: '/first' },
        { text: kubeconfig({ user: { token: 'other' } }), local: true, folder: '/second' },
      ],
      'x',
    )
    expect(config).toMatchObject({ server: 'https://127.0.0.1:6443', credential: { tokenFile: '/first/t' } })
  })

  it('takes anchors and aliases neither for data nor for a way to fill memory', () => {
    expect(() => parseKubeconfig('a: &a [1]\nb: [*a, *a]', trusted)).toThrow(KubeconfigError)
  })

  it.each([
    ['', 'kubeconfig: empty'],
    ['a: [', 'kubeconfig: not valid YAML (line 1)'],
    ['42', 'kubeconfig: document: Invalid input: expected object, received number'],
    ['{}', 'kubeconfig: current-context is not set'],
    ['current-context: x', 'kubeconfig: context "x" is referred to but not defined'],
    [
      kubeconfig().replace('"name":"c"', '"name":"d"'),
      'kubeconfig: cluster "c" is referred to but not defined',
    ],
    [kubeconfig().replace('"name":"u"', '"name":"v"'), 'kubeconfig: user "u" is referred to but not defined'],
    [kubeconfig({ server: 'nowhere' }), 'kubeconfig: cluster "c": server is not a URL'],
    [kubeconfig({ server: 'ftp://x' }), 'kubeconfig: cluster "c": server must be an http or https URL'],
    [
      kubeconfig({ server: `https://me:${secret}@x` }),
      'kubeconfig: cluster "c": server must not carry a user name or password',
    ],
    [
      kubeconfig({ cluster: { 'proxy-url': 'http://x' } }),
      'kubeconfig: cluster "c": proxy-url is not supported; let Kairship reach the server directly',
    ],
    [
      kubeconfig({ cluster: { 'certificate-authority-data': 'bm8=' } }),
      'kubeconfig: cluster "c": certificate-authority-data is not base64 of PEM',
    ],
    [
      kubeconfig({ cluster: { 'certificate-authority': 'x', 'insecure-skip-tls-verify': true } }),
      'kubeconfig: cluster "c": insecure-skip-tls-verify and a certificate authority exclude each other',
    ],
    [
      kubeconfig({ user: { 'client-key': 'x' } }),
      'kubeconfig: user "u": client-certificate and client-key go together',
    ],
    [
      kubeconfig({ user: { 'as-groups': ['x'] } }),
      'kubeconfig: user "u": of impersonation only as and as-groups are supported',
    ],
    [
      kubeconfig({ user: { token: 7 } }),
      'kubeconfig: users.0.user.token: Invalid input: expected string, received number',
    ],
    [`users: {token: ${secret}}`, 'kubeconfig: users: Invalid input: expected array, received object'],
    [`token: ${secret}\n  bad: indent`, 'kubeconfig: not valid YAML (line 1)'],
  ])('refuses %j by name, without quoting a value', (text, message) => {
    const error = (() => {
      try {
        return parseKubeconfig(text, trusted)
      } catch (thrown) {
        return thrown as Error
      }
    })()
    expect(error).toBeInstanceOf(KubeconfigError)
    expect((error as Error).message).toBe(message)
    expect(JSON.stringify(error)).not.toContain(secret)
  })

  it.each([
    ['a token file', { user: { tokenFile: '/var/run/secrets/token' } }],
    ['a certificate file', { user: { 'client-certificate': '/a', 'client-key': '/b' } }],
    ['an authority file', { cluster: { 'certificate-authority': '/etc/passwd' } }],
    ['a command', { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } } }],
    ['an auth provider', { user: { 'auth-provider': { name: 'oidc' } } }],
  ])('lets a kubeconfig out of a Secret not name %s', async (_, parts) => {
    await expect(kubeConnector().connect(kubeconfig(parts))).rejects.toThrow(/allowed here/)
    expect(parseKubeconfig(kubeconfig(parts), trusted)).toBeDefined()
  })
})

describe('connectionDigest', () => {
  const digest = (parts: Parts) => connectionDigest(parseKubeconfig(kubeconfig(parts), { local: false }))

  it('tells another credential or endpoint, and nothing else', () => {
    expect(digest({ user: { token: 'a' } })).toBe(digest({ user: { token: 'a' } }))
    expect(digest({ user: { token: 'a' } })).not.toBe(digest({ user: { token: 'b' } }))
    expect(digest({ server: 'https://a' })).not.toBe(digest({ server: 'https://b' }))
    expect(digest({ user: { token: secret } })).toMatch(/^[0-9a-f]{16}$/)
  })
})

describe('loadKubeconfig', () => {
  const write = async (name: string, text: string) => {
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }

  it('takes a named file before the environment, and that before the Pod, and that before home', async () => {
    const named = await write('named', kubeconfig({ server: 'https://named' }))
    const listed = await write('listed', kubeconfig({ server: 'https://listed' }))
    const env = { KUBECONFIG: `${join(folder, 'absent')}:${listed}`, KUBERNETES_SERVICE_HOST: 'fd00::1' }
    expect((await loadKubeconfig({ path: named, env })).server).toBe('https://named')
    expect((await loadKubeconfig({ env })).server).toBe('https://listed')
    const pod = await loadKubeconfig({ env: { ...env, KUBECONFIG: '' }, serviceAccountFolder: '/sa' })
    expect(pod).toMatchObject({
      server: 'https://[fd00::1]:443',
      tls: { ca: { file: '/sa/ca.crt' } },
      credential: { tokenFile: '/sa/token' },
    })
  })

  it('says what to do when there is none', async () => {
    await expect(loadKubeconfig({ env: {}, home: folder })).rejects.toThrow(
      `${folder}/.kube/config does not exist; name one with --kubeconfig or KUBECONFIG`,
    )
  })
})

describe('a connection', () => {
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

  it('verifies the name it is told to', async () => {
    await serve((_, response) => json(response, 200, 'hello'))
    expect(await get({ cluster: { ...trusting(issuer.certificate), 'tls-server-name': 'inner.test' } })).toBe(
      'hello',
    )
  })

  it('goes unverified only when told to, and says so', async () => {
    await serve((_, response) => json(response, 200, 'hello'))
    expect(await get({ cluster: { 'insecure-skip-tls-verify': true } })).toBe('hello')
    expect(api!.insecure).toBe(true)
  })

  it('shows its client certificate', async () => {
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

  it('refuses certificates that cannot be used before any request', async () => {
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

  it('reads a token file anew when the server refuses what it held', async () => {
    const tokens: (string | undefined)[] = []
    await serve(({ headers }, response) => {
      tokens.push(headers.authorization)
      json(response, headers.authorization === 'Bearer new' ? 200 : 401, {})
    })
    const tokenFile = join(folder, 'token')
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

  it('fails by name when a token file is missing, and works once it is there', async () => {
    await serve((_, response) => json(response, 200, 'hello'))
    const tokenFile = join(folder, 'token')
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
      const path = join(folder, 'plugin.mjs')
      await writeFile(path, script)
      const exec = {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: [path],
        env: [{ name: 'FOLDER', value: folder }],
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

    it('runs it once for many requests, and again after a refusal', async () => {
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

    it('runs it again when what it printed has expired', async () => {
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
    ])('says so when it %s', async (_, script, message) => {
      await serve((_, response) => json(response, 200, {}))
      const connection = await plugin(script)
      await expect(connection.request({ method: 'GET', path: '/' })).rejects.toThrow(message)
      expect(server!.received).toHaveLength(0)
    })

    it('shows the certificate it printed, and changes sockets when it changes', async () => {
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
      await writeFile(join(folder, 'status'), JSON.stringify(status(client)))
      const connection = await plugin(`
        import { readFileSync } from 'node:fs'
        const status = JSON.parse(readFileSync(process.env.FOLDER + '/status', 'utf8'))
        console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential', status }))`)
      const ask = () => connection.request({ method: 'GET', path: '/' })
      await ask()
      await writeFile(join(folder, 'status'), JSON.stringify(status(next)))
      await ask().catch(() => undefined)
      await ask()
      expect(seen).toEqual(['kairship', 'kairship', 'second'])
      await waitFor(() => expect(server!.sockets.size).toBe(1))
    })
  })
})
