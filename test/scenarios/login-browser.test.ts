import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PATIENCE_MS, waitFor } from '../patience.js'
import { chromiumPath, startBrowser, type Visit, visit } from './support/browser.js'
import { kubectls, loginFlags } from './support/kubectl.js'
import { type LoginWorld, startLoginWorld } from './support/login-world.js'

const [kubectl = ''] = kubectls()

describe.skipIf(chromiumPath === undefined || kubectl === '')('a person with a browser', () => {
  let world: LoginWorld
  let browser: Browser
  beforeAll(async () => {
    ;[world, browser] = await Promise.all([startLoginWorld(), startBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await world?.close()
  })

  /** Opens an address of the issuer in a browser that has no session yet. */
  async function opened(address: string): Promise<Visit> {
    const visited = await visit(browser, 'http')
    visited.page.setDefaultTimeout(PATIENCE_MS)
    await visited.page.goto(address)
    return visited
  }

  async function signIn(page: Page, name: string): Promise<void> {
    await page.getByLabel(name).check()
    await page.getByLabel('Password').fill(world.issuer.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  it('logs in, and kubectl works in the context of each instance', async () => {
    const { process, address } = await world.login(...loginFlags(kubectl))
    const { page, complaints, context: visitor } = await opened(address)
    await signIn(page, 'emil')
    await page.getByRole('heading', { name: 'You are logged in' }).waitFor()
    expect(new URL(page.url()).hostname).toBe('127.0.0.1')
    expect((await process.ended).code, process.stderr).toBe(0)
    for (const instance of ['eu-west', 'us-east']) {
      const context = ['--context', `kairship-${instance}`, '--namespace', 'default']
      const made = await world.kubectl(kubectl, ...context, 'create', 'configmap', 'made-by-emil')
      expect(made).toMatchObject({ code: 0, stdout: 'configmap/made-by-emil created\n' })
      const { stdout } = await world.kubectl(kubectl, ...context, 'get', 'configmaps', '-o', 'name')
      expect(stdout).toContain('configmap/made-by-emil')
    }
    expect(complaints).toEqual([])
    await visitor.close()
  })

  it('who is signed in there already goes on with one click, or as somebody else', async () => {
    const first = await world.login(...loginFlags(kubectl))
    const { page, complaints, context: visitor } = await opened(first.address)
    await signIn(page, 'ada')
    await first.process.ended
    const again = await world.login(...loginFlags(kubectl))
    await page.goto(again.address)
    await page.getByRole('button', { name: 'Go on as ada' }).click()
    await again.process.ended
    expect(again.process.stdout).toContain('as ada')
    const other = await world.login(...loginFlags(kubectl))
    await page.goto(other.address)
    await signIn(page, 'vera')
    await page.getByRole('heading', { name: 'You are logged in' }).waitFor()
    await other.process.ended
    expect(other.process.stdout).toContain('as vera')
    expect(complaints).toEqual([])
    await visitor.close()
  })

  it('logs in a terminal elsewhere with its code', async () => {
    const login = world.kairship('login', '--device')
    await waitFor(() => expect(login.stderr).toContain('user_code='))
    const [, address = '', code = ''] = /(https:\S+user_code=(\S+))/.exec(login.stderr) ?? []
    const { page, complaints, context: visitor } = await opened(address)
    await page.getByRole('heading', { name: 'Is this your device?' }).waitFor()
    expect(await page.locator('code').textContent()).toBe(code)
    await page.getByRole('button', { name: 'That is my device' }).click()
    await signIn(page, 'vera')
    await page.getByRole('heading', { name: 'You are logged in' }).waitFor()
    expect((await login.ended).code, login.stderr).toBe(0)
    expect(login.stdout).toContain('as vera')
    expect(complaints).toEqual([])
    await visitor.close()
  })
})
