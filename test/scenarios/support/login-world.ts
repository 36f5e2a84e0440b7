import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectIssuer } from '../../../actors/issuers/issuer-documents.js'
import { type Login, LoginStore } from '../../../cli/login/login-store.js'
import type { Api } from '../../../http/api-options.js'
import { LOGIN_CLIENT } from '../../../playground/issuer/login-client.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../../http/proxy/playground-proxy.js'
import { waitFor } from '../../patience.js'
import { type IssuerUnderTest, issuerUnderTest } from '../../playground/issuer/running-issuer.js'
import { KairshipProcess } from './kairship-process.js'
import { type Run, runKubectl } from './kubectl.js'

/** A fleet with an issuer, and the machine of a person who has nothing yet. */
export interface LoginWorld {
  readonly proxy: PlaygroundProxy
  readonly issuer: IssuerUnderTest
  readonly api: Api
  /** Starts `kairship` as this person, for the Kairship with the issuer unless another is named. */
  kairship(...args: readonly string[]): KairshipProcess
  /** Starts `kairship login`, and waits for the address that it opens in the browser. */
  login(...args: readonly string[]): Promise<{ readonly process: KairshipProcess; readonly address: string }>
  kubectl(kubectl: string, ...words: readonly string[]): Promise<Run>
  /** The text of this person's kubeconfig. */
  kubeconfig(): string
  /** Logins of this person. */
  readonly store: LoginStore
  /** Makes all tokens of this person as good as expired. */
  expire(): void
  /** Addresses that were opened in the browser. */
  opened(): readonly string[]
  close(): Promise<void>
}

export async function startLoginWorld(): Promise<LoginWorld> {
  const home = mkdtempSync(join(tmpdir(), 'kairship-login-'))
  const [proxy, issuer] = await Promise.all([startPlaygroundProxy({ instances: 2 }), issuerUnderTest()])
  const file = join(home, 'authentication.json')
  writeFileSync(file, issuer.authenticationConfiguration())
  const api = await proxy.another('127.0.0.1:0', {
    authentication: {
      file,
      connect: connectIssuer,
      graceMs: 3_600_000,
      login: { clientId: LOGIN_CLIENT.id, scopes: 'openid offline_access', prompt: 'consent' },
    },
  })
  const ca = join(home, 'ca.crt')
  writeFileSync(ca, api.certificateAuthority ?? '')
  // What this machine opens addresses with: a file for each.
  const [bin, addresses] = [join(home, 'bin'), join(home, 'opened')]
  for (const folder of [bin, addresses]) mkdirSync(folder)
  writeFileSync(
    join(bin, 'xdg-open'),
    `#!/bin/sh\nprintf %s "$1" > "${addresses}/.$$"\nmv "${addresses}/.$$" "${addresses}/$$"\n`,
  )
  chmodSync(join(bin, 'xdg-open'), 0o755)
  const env = {
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    PATH: `${bin}:${process.env.PATH}`,
    DISPLAY: ':0',
  }
  const store = new LoginStore(join(home, 'state', 'kairship', 'logins'))
  const kubeconfig = join(home, '.kube', 'config')
  const kairship = (...args: readonly string[]) =>
    KairshipProcess.start(
      args.includes('--server') ? args : [...args, '--server', api.url, '--certificate-authority', ca],
      env,
      home,
    )
  const opened = () =>
    readdirSync(addresses)
      .filter(name => !name.startsWith('.'))
      .map(name => readFileSync(join(addresses, name), 'utf8'))
  return {
    proxy,
    issuer,
    api,
    store,
    kairship,
    opened,
    async login(...args) {
      const before = new Set(opened())
      const process = kairship('login', ...args)
      let address = ''
      await waitFor(() => {
        if (process.ending) throw new Error(`the login ended: ${process.stderr}`)
        address = opened().find(one => !before.has(one)) ?? ''
        if (address === '') throw new Error('no browser was opened yet')
      })
      return { process, address }
    },
    kubeconfig: () => readFileSync(kubeconfig, 'utf8'),
    kubectl: (kubectl, ...words) => runKubectl(kubectl, words, { kubeconfig, home, env }),
    expire() {
      for (const { login } of store.all())
        store.write({ ...login, issuedAt: 0, expiresAt: 1 } satisfies Login)
    },
    async close() {
      await issuer.close()
      await proxy.close()
      if (existsSync(home)) rmSync(home, { recursive: true, force: true })
    },
  }
}
