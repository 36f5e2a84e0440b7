import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

describe('what a playground keeps of its listeners', () => {
  it('is what a restart finds, in a file for its owner only', async () => {
    const serving = { addresses, tls: await selfSigned(['localhost']) }
    keepServing(join(folder, 'data'), serving)
    expect(readServing(join(folder, 'data'))).toEqual(serving)
    expect(statSync(join(folder, 'data')).mode & 0o777).toBe(0o700)
    expect(statSync(join(folder, 'data', 'kairship.json')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(folder, 'data'))).toEqual(['kairship.json'])
  })

  it('is nothing in a new folder, and nothing when its certificate ends within a week', async () => {
    expect(readServing(folder)).toBeUndefined()
    const tls = await selfSigned(['localhost'])
    keepServing(folder, { addresses, tls })
    const { validTo } = new X509Certificate(tls.certificate)
    const week = Date.parse(validTo) - 7 * 24 * 3_600_000
    expect(readServing(folder, week)).toBeDefined()
    expect(readServing(folder, week + 1)).toBeUndefined()
  })

  it.each(['', '{', '{}', '{"addresses":{"listen":"x"}}'])(
    'is refused, with the file’s name, where it is %j',
    text => {
      writeFileSync(join(folder, 'kairship.json'), text)
      expect(() => readServing(folder)).toThrow(`${join(folder, 'kairship.json')} cannot be read; delete it`)
    },
  )

  it.each(['127.0.0.1:100001', '127.0.0.1:', ':1001', '127.0.0.1'])(
    'is refused where it listened at %s',
    async listen => {
      keepServing(folder, { addresses: { ...addresses, listen }, tls: await selfSigned(['localhost']) })
      expect(() => readServing(folder)).toThrow('cannot be read; delete it')
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
  it('are the wanted ones where those of before only begin alike', () => {
    const wanted = { listen: '127.0.0.1:100', grpcListen: '127.0.0.1:0', healthListen: '127.0.0.1:0' }
    const before = { ...addresses, grpcListen: '127.0.0.10:1002' }
    expect(addressesFor(wanted, before)).toEqual({ ...wanted, healthListen: addresses.healthListen })
  })
})
