import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { kubeConnector } from '../../../actors/kube/connector.js'
import { mergeKubeconfigs, parseKubeconfig } from '../../../actors/kube/kubeconfig.js'
import { loadKubeconfig } from '../../../actors/kube/load-kubeconfig.js'
import { KubeconfigError } from '../../../ports/kube-api.js'
import { base64, kubeconfig, ownFolder } from './a-kubeconfig.js'

const secret = 's3cr3t-never-shown'
const folder = ownFolder()

describe('parseKubeconfig', () => {
  const trusted = { local: true, folder: '/etc/kube' }

  it('resolves the current context, or the one that is named', () => {
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

  it('prefers embedded data to files, and resolves files relative to its own folder', () => {
    const user = { 'client-certificate': 'me.crt', 'client-key': '/abs/me.key', tokenFile: 'token' }
    expect(parseKubeconfig(kubeconfig({ user }), trusted).credential).toEqual({
      certificate: { cert: { file: '/etc/kube/me.crt' }, key: { file: '/abs/me.key' } },
      tokenFile: '/etc/kube/token',
    })
    const ca = '-----BEGIN CERTIFICATE-----'
    const cluster = { 'certificate-authority': 'ca.crt', 'certificate-authority-data': base64(ca) }
    expect(parseKubeconfig(kubeconfig({ cluster }), trusted).tls.ca).toEqual({ pem: ca })
  })

  it('merges several files, where the first definition wins', () => {
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

  it('rejects anchors and aliases, as data and as a way to exhaust memory', () => {
    expect(() => parseKubeconfig('a: &a [1]\nb: [*a, *a]', trusted)).toThrow(KubeconfigError)
  })

  it.each([
    ['', 'kubeconfig: empty'],
    ['a: [', 'kubeconfig: not valid YAML (line 1)'],
    ['42', 'kubeconfig: not a kubeconfig: Invalid input: expected object, received number'],
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
    [`token: ${secret}\n  bad: indent`, 'kubeconfig: not valid YAML (line 2)'],
    [`a: *${secret}`, 'kubeconfig: YAML aliases are not supported'],
    [`a: &x ${secret}\nb: *x`, 'kubeconfig: YAML aliases are not supported'],
    [`${secret}: 1\n${secret}: 2`, 'kubeconfig: not valid YAML (line 2)'],
    ['a: 1\n---\nb: 1', 'kubeconfig: holds several YAML documents, but must be one'],
    ['['.repeat(100_000), 'kubeconfig: not valid YAML (line 1)'],
  ])('refuses %j by field name, without quoting a value', (text, message) => {
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

  it('takes a text with as many keys as fit into a Secret', () => {
    const keys = Array.from({ length: 90_000 }, (_, index) => `k${index}: 1`).join('\n')
    expect(parseKubeconfig(`${kubeconfig()}\n# ${'x'.repeat(1 << 20)}`, trusted).context).toBe('here')
    expect(() => parseKubeconfig(keys, trusted)).toThrow('kubeconfig: current-context is not set')
  }, 40_000)

  it('is not read out of a Secret where it is larger than 256 KiB', async () => {
    const large = `${kubeconfig()}\n# ${'x'.repeat(256 << 10)}`
    await expect(kubeConnector().connect(large)).rejects.toThrow(
      new KubeconfigError('kubeconfig: larger than 256 KiB: leave out the contexts that are not used'),
    )
    expect(parseKubeconfig(large, trusted).context).toBe('here')
  })

  it.each([
    ['a token file', { user: { tokenFile: '/var/run/secrets/token' } }],
    ['a certificate file', { user: { 'client-certificate': '/a', 'client-key': '/b' } }],
    ['an authority file', { cluster: { 'certificate-authority': '/etc/passwd' } }],
    ['a command', { user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh' } } }],
    ['an auth provider', { user: { 'auth-provider': { name: 'oidc' } } }],
  ])('refuses %s in a kubeconfig from a Secret', async (_, parts) => {
    await expect(kubeConnector().connect(kubeconfig(parts))).rejects.toThrow(/allowed here/)
    expect(parseKubeconfig(kubeconfig(parts), trusted)).toBeDefined()
  })
})

describe('loadKubeconfig', () => {
  const write = async (name: string, text: string) => {
    const path = join(folder.path, name)
    await writeFile(path, text)
    return path
  }

  it('prefers a named file to the environment, the environment to the Pod, and the Pod to the home folder', async () => {
    const named = await write('named', kubeconfig({ server: 'https://named' }))
    const listed = await write('listed', kubeconfig({ server: 'https://listed' }))
    const env = { KUBECONFIG: `${join(folder.path, 'absent')}:${listed}`, KUBERNETES_SERVICE_HOST: 'fd00::1' }
    expect((await loadKubeconfig({ path: named, env })).server).toBe('https://named')
    expect((await loadKubeconfig({ env })).server).toBe('https://listed')
    const pod = await loadKubeconfig({ env: { ...env, KUBECONFIG: '' }, serviceAccountFolder: '/sa' })
    expect(pod).toMatchObject({
      server: 'https://[fd00::1]:443',
      tls: { ca: { file: '/sa/ca.crt' } },
      credential: { tokenFile: '/sa/token' },
    })
  })

  it('names the file that cannot be used', async () => {
    const path = await write('rubbish', '42')
    await expect(loadKubeconfig({ path, env: {} })).rejects.toThrow(
      `kubeconfig ${path}: not a kubeconfig: Invalid input`,
    )
  })

  it('says what to do when there is none', async () => {
    await expect(loadKubeconfig({ env: {}, home: folder.path })).rejects.toThrow(
      `${folder.path}/.kube/config does not exist; name one with --kubeconfig or KUBECONFIG`,
    )
  })
})
