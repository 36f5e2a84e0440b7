import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createAuthority } from '../../playground/apiserver/access/certificates.js'
import { kubeconfigOf, toBase64 } from '../../playground/client/kubeconfig.js'
import type { HostReady, HostRequest } from './host.js'
import type { TlsFiles } from './nginx.js'
import { CORES, Measured } from './process.js'

/** The token by which everything that proxies proves itself to the upstream, which does not look. */
export const OWN_TOKEN = 'own-token'

/** A running Kairship, and where it answers. */
export interface KairshipProcess {
  readonly process: Measured
  readonly url: string
  /** `host:port`. */
  readonly grpc: string
  /** Where its metrics are. */
  readonly metrics: string
}

/** Files, certificates and processes of one run; all are gone after `close`. */
export class Site {
  readonly folder = mkdtempSync(join(tmpdir(), 'kairship-bench-proxy-'))
  readonly tls: TlsFiles
  readonly #authority: string
  readonly #closers: (() => Promise<void> | void)[] = []
  #closed: Promise<void> | undefined

  constructor() {
    const authority = createAuthority('bench')
    const { certificate, key } = authority.issueServing()
    this.#authority = authority.certificate
    this.tls = {
      certificate: this.file('tls.crt', certificate),
      key: this.file('tls.key', key),
      authority: this.file('ca.crt', authority.certificate),
    }
  }

  file(name: string, text: string): string {
    const path = join(this.folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }

  /** Closes something before everything that was started earlier. @throws Error where the site is closed already */
  async endsWith(closer: () => Promise<void>): Promise<void> {
    if (!this.#closed) {
      this.#closers.push(closer)
      return
    }
    await closer()
    throw new Error('the site is closed')
  }

  /** A process that ends with the site. */
  run<P extends Measured>(process: P): P {
    this.#closers.push(() => process.stop())
    return process
  }

  script(name: string, args: readonly string[], core: number | undefined = CORES.others): Measured {
    const program = fileURLToPath(new URL(`./${name}.js`, import.meta.url))
    return this.run(
      new Measured(name, process.execPath, [program, ...args], core === undefined ? {} : { core }),
    )
  }

  kubeconfig(server: string): string {
    return kubeconfigOf('bench', {
      server,
      certificateAuthorityData: toBase64(this.#authority),
      token: OWN_TOKEN,
    })
  }

  /** @throws Error when it ends before all is there */
  async host(request: HostRequest): Promise<HostReady> {
    const host = fork(new URL('./host.js', import.meta.url))
    const ended = once(host, 'exit')
    this.#closers.push(async () => {
      if (host.connected) host.disconnect()
      await ended
    })
    host.send(request)
    const early = ended.then(([code]) => Promise.reject(new Error(`the playground ended with ${code}`)))
    const [ready] = (await Promise.race([once(host, 'message'), early])) as [HostReady]
    return ready
  }

  /**
   * A real Kairship, that looks after its instances and answers.
   * @param build the folder of its build; this one when absent
   */
  async kairship(
    { kubeconfig }: Pick<HostReady, 'kubeconfig'>,
    nodeArgs: readonly string[] = [],
    flags: readonly string[] = [],
    build = fileURLToPath(new URL('../..', import.meta.url)),
  ): Promise<KairshipProcess> {
    const file = this.file('host.kubeconfig', kubeconfig)
    const program = join(build, 'kairship.js')
    const anyPort = ['--listen', '--grpc-listen', '--health-listen'].flatMap(flag => [flag, '127.0.0.1:0'])
    const started = new Measured(
      'kairship',
      process.execPath,
      [...nodeArgs, program, 'serve', '--kubeconfig', file, '--log-format', 'json', ...anyPort, ...flags],
      CORES.proxy === undefined ? {} : { core: CORES.proxy },
    )
    this.run(started)
    const [line] = await started.says(/^.*"the API is listening".*$/m)
    const [, health] = await started.says(/"url":"(http:[^"]+)","msg":"health and metrics are listening"/)
    const { url, grpc } = JSON.parse(line) as Pick<KairshipProcess, 'url' | 'grpc'>
    return { process: started, url, grpc, metrics: `${health}/metrics` }
  }

  /** `kubectl proxy`, which serves plain HTTP: TLS towards the upstream only. */
  async kubectlProxy(kubeconfig: string): Promise<{ process: Measured; url: string }> {
    const kubectl = process.env.KAIRSHIP_KUBECTL ?? 'kubectl'
    const file = this.file('upstream.kubeconfig', kubeconfig)
    const started = new Measured(
      'kubectl proxy',
      kubectl,
      ['proxy', '--kubeconfig', file, '--port=0', '--keepalive=60s'],
      CORES.proxy === undefined ? {} : { core: CORES.proxy },
    )
    this.run(started)
    const [, address = ''] = await started.says(/Starting to serve on (\S+)/)
    return { process: started, url: `http://${address}` }
  }

  /** Idempotent. */
  close(): Promise<void> {
    this.#closed ??= (async () => {
      for (const closer of this.#closers.reverse()) await closer()
      rmSync(this.folder, { recursive: true, force: true })
    })()
    return this.#closed
  }
}

/** Where nginx and wrk are. @throws Error when they cannot be had */
export const benchTools = (): string =>
  execFileSync(join(import.meta.dirname, '../../../bench/proxy/tools'), {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  }).trim()
