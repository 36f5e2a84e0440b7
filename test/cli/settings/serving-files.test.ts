import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ExitCode } from '../../../cli/exit-code.js'
import { publishAuthority, readServingFiles } from '../../../cli/settings/serving-files.js'
import { selfSigned } from '../../../http/listener/serving-certificate.js'
import { silent } from '../../silent.js'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'serving-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const logged: object[] = []
const log = {
  ...silent,
  info: (fields: object) => logged.push(fields),
  warn: (fields: object) => logged.push(fields),
}
beforeEach(() => logged.splice(0))

it('the authority of a self-signed certificate is written to a file that the log names, until the server stops', async () => {
  const file = publishAuthority('PEM', log, folder)
  const { certificateAuthority } = logged[0] as { certificateAuthority: string }
  expect(await readFile(certificateAuthority, 'utf8')).toBe('PEM')
  file.close()
  expect(await readdir(folder)).toEqual([])
})

it('a server that cannot write its authority continues without the file, and logs why', async () => {
  await writeFile(join(folder, 'file'), '')
  publishAuthority('PEM', log, join(folder, 'file')).close()
  expect(logged).toMatchObject([{ error: { code: 'ENOTDIR' } }])
})

it('a certificate from files is not written to a file', async () => {
  publishAuthority(undefined, log, folder).close()
  expect([logged, await readdir(folder)]).toEqual([[], []])
})

describe('TLS files', () => {
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text)
    return join(folder, name)
  }

  it('are read when certificate and key match', async () => {
    const { certificate, key } = await selfSigned(['localhost'])
    const config = {
      tlsCertFile: await write('crt', certificate),
      tlsKeyFile: await write('key', key),
      clientCaFile: await write('ca', certificate),
    }
    expect(readServingFiles(config)).toEqual({
      tls: { certificate, key },
      clientCertificateAuthority: certificate,
    })
  })

  it.each([
    ['a certificate of rubbish', { tlsCertFile: 'rubbish' }, 'crt holds no certificate in PEM form'],
    ['a key of rubbish', { tlsKeyFile: 'rubbish' }, 'key holds no private key in PEM form'],
    ['the key of another certificate', { tlsKeyFile: 'other' }, 'is not the key of'],
    ['an authority of rubbish', { clientCaFile: 'rubbish' }, 'ca holds no certificate in PEM form'],
  ])('are refused with the name of the setting and the file: %s', async (_what, given, message) => {
    const [own, other] = [await selfSigned(['localhost']), await selfSigned(['localhost'])]
    const texts = {
      tlsCertFile: own.certificate,
      tlsKeyFile: own.key,
      clientCaFile: own.certificate,
      ...given,
    }
    const fileOf = (name: string, text: string) => write(name, text === 'other' ? other.key : text)
    const config = {
      tlsCertFile: await fileOf('crt', texts.tlsCertFile),
      tlsKeyFile: await fileOf('key', texts.tlsKeyFile),
      clientCaFile: await fileOf('ca', texts.clientCaFile),
    }
    const [setting] = Object.keys(given)
    expect(() => readServingFiles(config)).toThrow(message)
    expect(() => readServingFiles(config)).toThrow(
      expect.objectContaining({ exitCode: ExitCode.usage, message: expect.stringMatching(`^${setting}: `) }),
    )
  })
})
