import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { selfSigned } from '../../../http/listener/serving-certificate.js'
import { addressesFor, keepServing, readServing } from '../../../playground/fleet/kept-serving.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairship-kept-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const addresses = { listen: '127.0.0.1:1001', grpcListen: '127.0.0.1:1002', healthListen: '127.0.0.1:1003' }
const free = { listen: '127.0.0.1:0', grpcListen: '127.0.0.1:0', healthListen: '127.0.0.1:0' }
const DAY = 24 * 3_600_000

describe('what a playground keeps of its listeners', () => {
  it('is what a restart finds, in a file for its owner only', async () => {
    const serving = { addresses, tls: await selfSigned(['localhost']) }
    keepServing(join(folder, 'data'), serving)
    expect(readServing(join(folder, 'data'))).toEqual(serving)
    expect(statSync(join(folder, 'data', 'kairship.json')).mode & 0o777).toBe(0o600)
  })

  it('is nothing in a new folder, and nothing when its certificate ends within a week', async () => {
    expect(readServing(folder)).toBeUndefined()
    keepServing(folder, { addresses, tls: await selfSigned(['localhost']) })
    expect(readServing(folder, Date.now() + 350 * DAY)).toBeDefined()
    expect(readServing(folder, Date.now() + 359 * DAY)).toBeUndefined()
  })

  it.each(['', '{', '{}', '{"addresses":{"listen":"x"}}'])(
    'is refused, with the file’s name, where it is %j',
    text => {
      writeFileSync(join(folder, 'kairship.json'), text)
      expect(() => readServing(folder)).toThrow(`${join(folder, 'kairship.json')} cannot be read; delete it`)
    },
  )
})

describe('the addresses of a restarted playground', () => {
  it('are those of before where none are wanted', () => {
    expect(addressesFor(free, addresses)).toEqual(addresses)
    expect(addressesFor(free, undefined)).toEqual(free)
  })

  it('are the wanted ones where a port or another host is wanted', () => {
    const wanted = { listen: '127.0.0.1:8443', grpcListen: '0.0.0.0:0', healthListen: '127.0.0.1:0' }
    expect(addressesFor(wanted, addresses)).toEqual({ ...wanted, healthListen: addresses.healthListen })
  })
})
