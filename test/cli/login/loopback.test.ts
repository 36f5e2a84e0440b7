import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { openLoopback } from '../../../cli/login/loopback.js'

it.each(['//', 'http://[', '///?state=s', '/%'])(
  'a redirect address answers a request for %s that nothing is there, and goes on',
  async target => {
    const loopback = await openLoopback()
    try {
      const { host, hostname, port } = new URL(loopback.redirectUri)
      const redirected = loopback.redirect('s', new AbortController().signal)
      const socket = connect(Number(port), hostname)
      await once(socket, 'connect')
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /)
      const answered = fetch(`${loopback.redirectUri}?state=s&code=c`)
      const redirect = await redirected
      redirect.answer()
      expect([redirect.url.searchParams.get('code'), (await answered).status]).toEqual(['c', 200])
    } finally {
      await loopback.close()
    }
  },
)
