import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Sockets } from '../../../actors/kube/sockets.js'
import { collectGarbage } from '../../collect-garbage.js'
import { waitFor } from '../../patience.js'
import { authority, configOf } from './streaming-server.js'

// Nothing listens there, and nothing needs to: sockets are opened by the first request.
const config = configOf(1)
let sockets = new Sockets(config, 1)
afterEach(async () => {
  await sockets.close()
  sockets = new Sockets(config, 1)
})

const proof = () => {
  const { certificate, key } = authority.issueServing()
  return { cert: certificate, key }
}

/** Waits until nothing holds an object any more. */
const forgotten = (object: WeakRef<object>): Promise<void> =>
  waitFor(() => {
    collectGarbage()
    // Not `toBeUndefined`, whose failure would hold what it found until the next check.
    expect(object.deref() === undefined).toBe(true)
  })

it.each(['forRequest', 'forWatch', 'forProxy', 'forUpgrade'] as const)(
  '%s gives no socket that would outlive its endpoint, which was closed while its certificates were read',
  async way => {
    // Not `rejects`, whose failure would print a whole dispatcher.
    const late = Promise.resolve(sockets[way]({})).then(
      () => 'a socket',
      (error: Error) => error.message,
    )
    await sockets.close()
    expect(await late).toMatch(/was closed/)
  },
)

describe('certificates that cannot be used', () => {
  it('are read again by the next request', async () => {
    const file = join(tmpdir(), `kairship-ca-${process.pid}.pem`)
    const endpoint = new Sockets({ ...config, tls: { insecure: false, ca: { file } } }, 1)
    try {
      await expect(endpoint.prepare({})).rejects.toThrow(/cannot read/)
      await writeFile(file, authority.certificate)
      await endpoint.prepare({})
    } finally {
      await rm(file, { force: true })
      await endpoint.close()
    }
  })

  it('leave those in place that have replaced them', async () => {
    const refused = expect(sockets.forRequest({ ...proof(), cert: 'no PEM' })).rejects.toThrow(
      /cannot be used/,
    )
    const good = proof()
    const pool = sockets.forRequest(good)
    await refused
    expect(await sockets.forRequest(good)).toBe(await pool)
  })
})

describe('what is over is not held until the endpoint is closed', () => {
  it('which holds for the socket of a watch', async () => {
    const ended = async () => {
      const socket = await sockets.forWatch({})
      await sockets.end(socket)
      return new WeakRef(socket)
    }
    await forgotten(await ended())
  })

  it('which holds for the pool of a certificate that was replaced', async () => {
    const pool = async () => new WeakRef(await sockets.forRequest(proof()))
    const first = await pool()
    await sockets.forRequest(proof())
    await forgotten(first)
  })

  it('which holds for an upgraded socket', async () => {
    const upgraded = new PassThrough()
    sockets.keepUpgraded(upgraded)
    upgraded.destroy()
    await once(upgraded, 'close')
    const destroy = vi.spyOn(upgraded, 'destroy')
    await sockets.close()
    expect(destroy).not.toHaveBeenCalled()
  })
})

describe('an upgraded socket', () => {
  it('ends with its endpoint', async () => {
    const upgraded = new PassThrough()
    sockets.keepUpgraded(upgraded)
    await sockets.close()
    expect(upgraded.errored?.message).toMatch(/was closed/)
  })

  it('ends no process by an error that its user does not listen for yet', () => {
    const upgraded = new PassThrough()
    sockets.keepUpgraded(upgraded)
    expect(() => upgraded.emit('error', new Error('reset'))).not.toThrow()
  })
})
