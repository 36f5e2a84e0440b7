import { expect, it, onTestFinished } from 'vitest'
import { openLoopback } from '../../../cli/login/loopback.js'

it('a redirect arrives once, and one that comes again is refused', async () => {
  const loopback = await openLoopback()
  onTestFinished(() => loopback.close())
  const address = `${loopback.redirectUri}?state=mine&code=7`
  const arrived = loopback.redirect('mine', new AbortController().signal)
  const first = fetch(address)
  const { url, answer } = await arrived
  expect(url.searchParams.get('code')).toBe('7')
  expect((await fetch(address)).status).toBe(400)
  answer()
  expect((await first).status).toBe(200)
})
