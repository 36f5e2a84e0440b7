import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { signInLink } from '../../../cli/client/sign-in-link.js'
import type { Api } from '../../../http/api-options.js'
import { type PlaygroundProxy, startPlaygroundProxy } from '../../http/proxy/playground-proxy.js'
import { PATIENCE_MS } from '../../patience.js'
import { chromiumPath, startBrowser, type Visit, visit } from './browser.js'

/** Where the build put the console. */
export const built = join(import.meta.dirname, '../../../dist/console')
/** Screenshots are written where this names a folder: `docs/console` is made so. */
const pictureFolder = process.env.KAIRSHIP_PICTURES

/** A request of a control plane's own administrator: what happens beside the page. */
interface DirectRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** A playground, Kairship's API with the console in it, and a browser. Its parts are there once the tests of a suite run. */
export class ConsoleWorld {
  proxy!: PlaygroundProxy
  api!: Api
  browser!: Browser

  /** The playground's only instance, or its first. */
  get instance(): string {
    return this.proxy.instance
  }

  /** What the instance's control plane answers, beside the page and Kairship. */
  karmada<T = unknown>(request: DirectRequest): Promise<T> {
    return this.proxy.playground.karmadas.get(this.instance)!.server.local.request<T>(request as never)
  }

  /** A Deployment of one container, and a policy that takes it to all members. */
  async deploy(name: string, container: object = {}): Promise<void> {
    const labels = { app: name }
    await this.karmada({
      method: 'POST',
      path: '/apis/apps/v1/namespaces/default/deployments',
      body: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name },
        spec: {
          replicas: 1,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: 'web', image: 'nginx:1.27', ...container }] },
          },
        },
      },
    })
    await this.karmada({
      method: 'POST',
      path: '/apis/policy.karmada.io/v1alpha1/namespaces/default/propagationpolicies',
      body: {
        apiVersion: 'policy.karmada.io/v1alpha1',
        kind: 'PropagationPolicy',
        metadata: { name },
        spec: {
          resourceSelectors: [{ apiVersion: 'apps/v1', kind: 'Deployment', name }],
          placement: { clusterAffinity: { clusterNames: [...this.proxy.playground.members.keys()] } },
        },
      },
    })
  }

  /** Another replica with the console, over the same actors. */
  another(options: Parameters<PlaygroundProxy['another']>[1] = {}): Promise<Api> {
    return this.proxy.another('127.0.0.1:0', { console: built, ...options })
  }

  /** A link that opens the console signed in, once. */
  link(token: string, { url, certificateAuthority }: Api = this.api): Promise<string> {
    return signInLink({ server: url, token, certificateAuthorityData: certificateAuthority ?? '' })
  }

  /** A visitor who is signed in with a link, on the page of the fleet. */
  async signedIn(
    token = this.proxy.playground.tokens.admin,
    options: Parameters<typeof visit>[2] = {},
  ): Promise<Visit> {
    const visited = await visit(this.browser, this.api.url, options)
    // Pages that are opened beside it wait as long.
    visited.context.setDefaultTimeout(PATIENCE_MS)
    await visited.page.goto(await this.link(token))
    await visited.page.getByRole('link', { name: this.instance }).waitFor()
    return visited
  }

  /** A visitor who is signed in, at a path of the instance's: `workloads`. */
  async at(path: string, ...as: Parameters<ConsoleWorld['signedIn']>): Promise<Visit> {
    const visited = await this.signedIn(...as)
    await visited.page.goto(`${this.api.url}/instances/${this.instance}/${path}`)
    return visited
  }
}

/** Describes what a person does in a browser. One playground and one browser serve the whole suite; skipped without Chromium. */
export function describeConsole(
  title: string,
  options: Parameters<typeof startPlaygroundProxy>[0],
  tests: (world: ConsoleWorld) => void,
): void {
  describe.skipIf(chromiumPath === undefined)(title, () => {
    const world = new ConsoleWorld()
    beforeAll(async () => {
      world.proxy = await startPlaygroundProxy(options)
      world.api = await world.another()
      world.browser = await startBrowser()
    })
    afterAll(async () => {
      await world.browser?.close()
      await world.proxy?.close()
    })
    tests(world)
  })
}

/** Takes a picture of the page for `docs/console`, where pictures are wanted: as WebP, which is a third of a PNG. */
export async function picture(page: Page, name: string): Promise<void> {
  if (pictureFolder === undefined) return
  await mkdir(pictureFolder, { recursive: true })
  const png = await page.screenshot({ animations: 'disabled' })
  // In a context of its own, so that the page stays in front.
  const converter = await page.context().browser()!.newPage()
  try {
    const webp = await converter.evaluate<string>(`(async () => {
      const image = new Image()
      image.src = 'data:image/png;base64,${png.toString('base64')}'
      await image.decode()
      const canvas = document.createElement('canvas')
      Object.assign(canvas, { width: image.width, height: image.height })
      canvas.getContext('2d').drawImage(image, 0, 0)
      return canvas.toDataURL('image/webp', 0.9)
    })()`)
    await writeFile(join(pictureFolder, `${name}.webp`), Buffer.from(webp.split(',')[1] ?? '', 'base64'))
  } finally {
    await converter.close()
  }
}

/** Pictures of a page in light and dark; it keeps nobody out in either. It is left in light. */
export async function pictures(page: Page, name: string, language: 'en' | 'zh' = 'en'): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    // Colours on their way from one to the other are neither.
    await page.evaluate(`Promise.allSettled(document.getAnimations()
      .filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity)
      .map(({ finished }) => finished)).then(() => undefined)`)
    expect(await barriers(page)).toEqual([])
    await picture(page, `${name}-${language}-${colorScheme}`)
  }
}

/** What axe finds wrong that keeps people out (WCAG 2.2 AA). */
export async function barriers(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
    .analyze()
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)
}
