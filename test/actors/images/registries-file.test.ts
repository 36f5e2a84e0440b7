import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { parseRegistries } from '../../../actors/images/registries-file.js'
import { registriesOf } from '../../../actors/images/registries-of.js'

const parsed = (text: string) => parseRegistries(text, 'registriesFile: /etc/r.yaml')
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kairship-registries-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

it('an entry has a default alias and host', () => {
  expect(parsed('registries: [{ name: team, url: "https://registry.example:5000/" }]')).toEqual([
    {
      ...{ name: 'team', alias: 'team', host: 'registry.example:5000', tokenServers: [] },
      url: 'https://registry.example:5000',
    },
  ])
})

const one = (more: string) => `registries: [{ name: a, url: "https://a", ${more} }]`
it.each([
  ['{', 'is neither YAML nor JSON'],
  ['', 'the document: '],
  ['registries: []', 'registries: must have one registry or more'],
  [one('name: A').replace('name: a, ', ''), 'registries[0].name: must be a DNS label'],
  ['registries: [{ name: a, url: "http://a" }]', 'registries[0].url: must be https://'],
  ['registries: [{ name: a, url: "https://a/path" }]', 'registries[0].url: must be https://'],
  ['registries: [{ name: a, url: "https://u:p@a" }]', 'registries[0].url: must be https://'],
  ['registries: [{ name: a, url: "https://a:99999" }]', 'registries[0].url: must be https://'],
  [one('tokenServers: ["http://b"]'), 'registries[0].tokenServers[0]: must be https://'],
  [one('workspaceId: 0'), 'registries[0].workspaceId: must be the id'],
  [one('password: x'), 'password'],
  [
    'registries: [{ name: a, url: "https://a" }, { name: a, url: "https://b" }]',
    'two registries are called a',
  ],
])('refuses the file %s and names the wrong field', (text, words) => {
  expect(() => parsed(text)).toThrow(words)
  expect(() => parsed(text)).toThrow('registriesFile: /etc/r.yaml')
})

it('an unusable file is named when the process starts, without the content of a credential', async () => {
  const SECRET = 'correct horse'
  expect(await registriesOf({ registriesFile: undefined })).toEqual([])
  await expect(registriesOf({ registriesFile: join(folder, 'none') })).rejects.toThrow(
    'registriesFile: ENOENT',
  )
  const [bad, registriesFile] = [join(folder, 'bad'), join(folder, 'registries.yaml')]
  writeFileSync(bad, `token: [${SECRET}`)
  writeFileSync(registriesFile, one(`credentialsFile: "${bad}"`))
  const problem = await registriesOf({ registriesFile }).then(String, String)
  expect(problem).toContain('registriesFile: credentialsFile of a')
  expect(problem).not.toContain(SECRET)
})
