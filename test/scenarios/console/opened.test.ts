import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PATIENCE_MS } from '../../patience.js'
import { chromiumPath, startBrowser, visit } from '../support/browser.js'
import { eventually } from '../support/eventually.js'
import { KairshipProcess } from '../support/kairship-process.js'

describe.skipIf(chromiumPath === undefined)('the console of a playground that was just started', () => {
  it('opens signed in by the link that is printed, and shows the instance ready', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kairship-opened-'))
    const files = ['--files', join(folder, 'files')]
    const program = KairshipProcess.start(['playground', '--instances', '1', '--members', '1', ...files])
    const browser = await startBrowser()
    onTestFinished(async () => {
      await browser.close()
      program.kill('SIGKILL')
      await program.ended
      await rm(folder, { recursive: true, force: true })
    })
    await eventually('the fleet is up', () => program.stdout.includes('Ctrl-C stops everything'), {
      story: () => program.story(),
    })
    const [, link = ''] = /Open the console, signed in as[^\n]*\n\n {2}(\S+)/.exec(program.stdout) ?? []
    const { origin } = new URL(link)
    const { page, context, complaints } = await visit(browser, origin)
    context.setDefaultTimeout(PATIENCE_MS)
    await page.goto(link)
    await page.getByRole('button', { name: 'admin@playground' }).waitFor()
    expect(page.url()).toBe(`${origin}/instances`)
    await page.getByRole('link', { name: 'eu-west' }).click()
    await page.getByRole('img', { name: 'the current state is Ready' }).waitFor()
    expect(complaints).toEqual([])
  })
})
