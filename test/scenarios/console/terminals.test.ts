import { expect, it } from 'vitest'
import { ACCESS_LOCKS } from '../../../manifests/access-lock.js'
import { resourcePath } from '../../../manifests/kube.js'
import { letIn } from '../../http/proxy/playground-proxy.js'
import { barriers, describeConsole, pictures } from '../support/console-world.js'

describeConsole('logs and terminals in the console', { members: 2 }, world => {
  /** A Deployment on all members, whose containers write two lines and wait. */
  const deploy = (name: string) =>
    world.deploy(name, { command: ['sh', '-c', 'echo one small line; echo another line; sleep infinity'] })

  it('shows the logs of a workload in all members, and a terminal in one of its pods', async () => {
    await letIn(world.proxy)
    await deploy('shop')
    const [first = '', second = ''] = world.proxy.playground.members.keys()
    const { page, context, complaints } = await world.at('workloads/deployments/default/shop')
    const pods = page.getByRole('region', { name: `Pods: ${first}` })
    await pods.getByText('Running').waitFor()
    expect(await barriers(page)).toEqual([])

    await page.getByRole('link', { name: 'Logs of shop' }).click()
    const log = page.getByRole('region', { name: 'Log lines' })
    for (const cluster of [first, second]) await log.getByText(cluster).first().waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await page.getByLabel('Find in lines').fill('small')
    await page.getByText('2 of these lines').waitFor()
    await page.getByRole('switch', { name: 'Only these' }).check()
    await log.getByText('another line').waitFor({ state: 'detached' })
    expect(page.url()).toContain('find=small&only=true')
    expect(await barriers(page)).toEqual([])
    await page.getByLabel('Find in lines').fill('')
    await pictures(page, 'logs')

    const other = await context.newPage()
    await other.goto(`${world.api.url}/instances/${world.instance}/workloads/deployments/default/shop`)
    await other
      .getByRole('region', { name: `Pods: ${first}` })
      .getByRole('link', { name: 'Terminal' })
      .click()
    const screen = other.locator('.xterm-rows')
    await other.getByRole('status').getByText('Open').waitFor()
    await other.keyboard.type('hostname\r')
    await screen.getByText(/^shop-/).waitFor()
    await other.keyboard.type('log hello from the terminal\r')
    await log.getByText('hello from the terminal').waitFor()
    const sizeOf = async () => {
      await other.keyboard.type('stty size\r')
      await screen
        .getByText(/^\d+ \d+\s*$/)
        .last()
        .waitFor()
      return screen
        .getByText(/^\d+ \d+\s*$/)
        .last()
        .textContent()
    }
    const wide = await sizeOf()
    await other.setViewportSize({ width: 420, height: 700 })
    await expect.poll(sizeOf).not.toBe(wide)
    await other.setViewportSize({ width: 1_280, height: 720 })
    await pictures(other, 'terminal')
    await other.keyboard.press('Control+Alt+t')
    expect(await other.evaluate<string>('document.activeElement?.id')).toBe('content')
    await other.getByRole('textbox', { name: /^Terminal/ }).focus()
    await other.keyboard.type('exit 3\r')
    await other.getByText('Ended with code 3').waitFor()
    expect(complaints).toEqual([])
  })

  it('shows why a terminal ends when its right is withdrawn, and why it does not open again', async () => {
    const [first = ''] = world.proxy.playground.members.keys()
    const { local } = world.proxy.playground.host
    const { page } = await world.at('workloads/deployments/default/shop')
    await page
      .getByRole('region', { name: `Pods: ${first}` })
      .getByRole('link', { name: 'Terminal' })
      .click()
    await page.getByRole('status').getByText('Open').waitFor()
    await local.request({
      method: 'POST',
      path: resourcePath(ACCESS_LOCKS),
      body: {
        apiVersion: 'kairship.io/v1alpha1',
        kind: 'AccessLock',
        metadata: { name: 'leave' },
        spec: { user: 'admin@playground', instance: world.instance, message: 'on leave' },
      },
    })
    await page.getByRole('alert').getByText('on leave').waitFor()
    await page.getByRole('button', { name: 'Start again' }).click()
    await page.getByRole('status').getByText('Connecting').waitFor({ state: 'detached' })
    await page.getByRole('alert').getByText('on leave').waitFor()
    await local.request({ method: 'DELETE', path: resourcePath(ACCESS_LOCKS, { name: 'leave' }) })
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Start again' }).click()
        await page.getByRole('status').getByText('Connecting').waitFor({ state: 'detached' })
        return page.getByRole('status').textContent()
      })
      .toBe('Open')
  })

  it('runs no command of an address before the user starts it, and then only that one', async () => {
    const [cluster = ''] = world.proxy.playground.members.keys()
    const { page } = await world.at('workloads/deployments/default/shop')
    const opened: string[] = []
    page.on('websocket', socket => {
      const { pathname, searchParams } = new URL(socket.url())
      if (pathname.endsWith('/exec')) opened.push(searchParams.getAll('command').join(' '))
    })
    await page
      .getByRole('region', { name: `Pods: ${cluster}` })
      .getByRole('link', { name: 'Terminal' })
      .click()
    await page.getByRole('status').getByText('Open').waitFor()
    // As a link of somebody else, or a page that opens it.
    const link = new URL(page.url())
    link.searchParams.set('command', 'log by a link')
    await page.goto(link.href)
    await page.getByText('It runs in your name once you start it').waitFor()
    await page.getByRole('status').getByText('Not started').waitFor()
    expect(await barriers(page)).toEqual([])
    expect(opened).toEqual(['sh'])
    await page.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('status').getByText('Ended').waitFor()
    await page.getByLabel('Command').fill('hostname')
    await page.getByRole('button', { name: 'Start again' }).click()
    await page
      .locator('.xterm-rows')
      .getByText(/^shop-/)
      .waitFor()
    expect(opened).toEqual(['sh', 'log by a link', 'hostname'])
  })

  it('accepts keys while a program writes a line of 10 MB', async () => {
    const [cluster = ''] = world.proxy.playground.members.keys()
    const { page, complaints } = await world.signedIn()
    const typed: string[] = []
    let send: (text: string) => void = () => undefined
    await page.routeWebSocket(/\/exec\?/, socket => {
      send = text => socket.send(Buffer.from(`\x01${text}`))
      socket.onMessage(data => {
        if (typeof data !== 'string' && data[0] === 0) typed.push(data.subarray(1).toString())
      })
    })
    await page.goto(
      `${world.api.url}/instances/${world.instance}/terminal?${new URLSearchParams({ cluster, namespace: 'default', pod: 'web' })}`,
    )
    await page.getByRole('status').getByText('Open').waitFor()
    send('x'.repeat(10_000_000))
    // 52: the clipboard, 8: a link that is a script.
    send('\x1b]52;c;ZXZpbA==\x07\x1b]8;;javascript:alert(1)\x07a link\x1b]8;;\x07\r\nafter it')
    await page.keyboard.press('a')
    await expect.poll(() => typed.join('')).toBe('a')
    await page.locator('.xterm-rows').getByText('after it').waitFor()
    // For screen readers, once the program pauses.
    await page.locator('.xterm-accessibility').getByText('after it').waitFor({ state: 'attached' })
    expect(complaints).toEqual([])
  })

  it('continues in a hidden tab whose timers do not run while the program writes 64 MB, and shows how much is missing', async () => {
    const [cluster = ''] = world.proxy.playground.members.keys()
    const { page, complaints } = await world.signedIn()
    let send: (text: string) => void = () => undefined
    let isClosed = false
    await page.routeWebSocket(/\/exec\?/, socket => {
      send = text => socket.send(Buffer.from(`\x01${text}`))
      socket.onClose(() => {
        isClosed = true
      })
    })
    // A browser without a window hides no tab. A hidden one runs timers once a second, later once a minute: here none.
    await page.addInitScript(`
      let isHidden = false
      const held = []
      const { setTimeout: later } = window
      window.setTimeout = (...timer) => (isHidden ? void held.push(timer) : later(...timer))
      Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') })
      window.hide = hidden => {
        isHidden = hidden
        document.dispatchEvent(new Event('visibilitychange'))
        for (const timer of held.splice(0)) later(...timer)
      }
      window.received = 0
      window.WebSocket = class extends WebSocket {
        constructor(...of) {
          super(...of)
          this.addEventListener('message', ({ data }) => (window.received += data.byteLength ?? 0))
        }
      }`)
    await page.goto(
      `${world.api.url}/instances/${world.instance}/terminal?${new URLSearchParams({ cluster, namespace: 'default', pod: 'web' })}`,
    )
    await page.getByRole('status').getByText('Open').waitFor()
    await page.evaluate('window.hide(true)')
    // One line, written over and over, as a bar of progress is.
    for (let megabyte = 0; megabyte < 64; megabyte += 1) send('0123456789abcde\r'.repeat(62_500))
    await expect.poll(() => page.evaluate('window.received')).toBeGreaterThan(64_000_000)
    await page.evaluate('window.hide(false)')
    send('\r\nthe last line\r\n')
    const screen = page.locator('.xterm-rows')
    await screen.getByText('the last line').waitFor()
    await screen.getByText(/^\[4\d\.\d MB of output are missing here: this tab was hidden\]/).waitFor()
    expect(isClosed).toBe(false)
    await page.getByRole('status').getByText('Open').waitFor()
    expect(complaints).toEqual([])
  })
})
