import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Browser, CDPSession, Page } from 'playwright-core'
import { kubeConnector } from '../../actors/kube/connector.js'
import { signInLink } from '../../cli/client/sign-in-link.js'
import { packageRoot } from '../../config/package-root.js'
import type { Api } from '../../http/api-options.js'
import { startApi } from '../../http/server.js'
import { type FakeFleet, fakeFleet, viewOf } from '../../test/http/fakes/fleet.js'
import { fakeHost } from '../../test/http/fakes/host.js'
import { fakeLog } from '../../test/http/fakes/log.js'
import { startBrowser } from '../../test/scenarios/support/browser.js'
import { unmetered } from '../../test/silent.js'

const TOKEN = 'ann'
/** Between two collections, milliseconds. */
const SETTLING_MS = 1_000
/** Beside much other work a page takes long, which is for the figures to say; milliseconds. */
const PATIENCE_MS = 300_000
/** The folder of the built console. */
const built = join(packageRoot(), 'dist', 'console')

/** Runs before anything of the page, and notes when its first instance can be read, in milliseconds since the navigation began. */
const NOTE_FIRST = `new MutationObserver((_, seen) => {
  if (!document.querySelector('main a[href^="/instances/"]')) return
  seen.disconnect()
  requestAnimationFrame(() => window.noteFirst(performance.now()))
}).observe(document, { childList: true, subtree: true })`

/** The console over a fleet of stand-ins, and a browser. */
export class ConsoleSite {
  private constructor(
    readonly fleet: FakeFleet,
    readonly api: Api,
    readonly browser: Browser,
  ) {}

  static async start(instances: number): Promise<ConsoleSite> {
    const fleet = fakeFleet(...Array.from({ length: instances }, (_, n) => viewOf(nameOf(n))))
    const host = fakeHost({ tokens: { [TOKEN]: { user: TOKEN, groups: ['dev'] } }, allows: () => true })
    for (const view of fleet.views.values()) host.instances.set(view.name, view.instance)
    const api = await startApi({
      ...{ fleet, host, connector: kubeConnector(), log: fakeLog(), auditSink: () => undefined },
      ...{ meter: unmetered, listen: '127.0.0.1:0', grpcListen: '127.0.0.1:0', console: built },
    })
    return new ConsoleSite(fleet, api, await startBrowser())
  }

  /** A page of a visitor who was never here, from the link until its first instance can be read. A script may run before anything of the page. */
  async open({ before = '' } = {}): Promise<OpenPage> {
    const context = await this.browser.newContext({ ignoreHTTPSErrors: true })
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    let note: (ms: number) => void = () => undefined
    const shown = new Promise<number>(resolve => {
      note = resolve
    })
    await page.exposeFunction('noteFirst', (ms: number) => note(ms))
    await page.addInitScript(NOTE_FIRST)
    if (before) await page.addInitScript(before)
    const { url, certificateAuthority = '' } = this.api
    await page.goto(
      await signInLink({ server: url, token: TOKEN, certificateAuthorityData: certificateAuthority }),
    )
    const firstScreenMs = await shown
    const scripts = await page.evaluate<string[]>(
      `performance.getEntriesByType('resource').filter(({ name, startTime }) => /\\.js$/.test(name) && startTime < ${firstScreenMs}).map(({ name }) => new URL(name).pathname)`,
    )
    const devtools = await context.newCDPSession(page)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    return new OpenPage(page, devtools, firstScreenMs, scripts)
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.api.close()
  }
}

/** A page that shows the fleet. */
export class OpenPage {
  constructor(
    readonly page: Page,
    private readonly devtools: CDPSession,
    readonly firstScreenMs: number,
    private readonly scripts: readonly string[],
  ) {}

  /** Of the scripts that were loaded before its first screen, compressed as for a client that knows gzip alone. */
  get scriptBytes(): number {
    return this.scripts
      .map(path => gzipSync(readFileSync(join(built, path)), { level: 9 }).length)
      .reduce((sum, bytes) => sum + bytes, 0)
  }

  /** What its scripts hold after a collection, bytes. */
  async heapBytes(): Promise<number> {
    // What the first collection finds without owners, such as what a WeakRef names, only the second frees.
    for (let collection = 0; collection < 2; collection += 1) {
      await this.devtools.send('HeapProfiler.collectGarbage')
      await new Promise(resolve => setTimeout(resolve, SETTLING_MS))
    }
    const { metrics } = await this.devtools.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
  }

  /** What its main thread has worked so far: CPU time of its tasks, and of them of scripts, seconds. */
  async worked(): Promise<{ readonly all: number; readonly scripts: number }> {
    const { metrics } = await this.devtools.send('Performance.getMetrics')
    const of = (wanted: string) => metrics.find(({ name }) => name === wanted)?.value ?? 0
    return { all: of('TaskDuration'), scripts: of('ScriptDuration') }
  }

  close(): Promise<void> {
    return this.page.context().close()
  }
}

export const nameOf = (n: number): string => `instance-${String(n + 1).padStart(5, '0')}`
