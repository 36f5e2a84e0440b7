import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { ExitCode } from '../cli/exit-code.js'
import { type Actions, run } from '../cli/program/program.js'
import { settings } from '../config.js'
import { definitionFromCrd } from '../playground/apimachinery/custom/definition-from-crd.js'
import { prune } from '../playground/apimachinery/schema/prune.js'
import { validate } from '../playground/apimachinery/schema/validate.js'

const root = resolve(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const pages = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'docs/README.md',
  'bench/README.md',
  'cli/README.md',
]
const blocks = (page: string, language: string): string[] =>
  [...read(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, it]) => it === language)
    .map(([, , text]) => text ?? '')

describe('every page', () => {
  for (const page of pages)
    it(`${page} links only to what is there`, () => {
      const links = [...read(page).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, path]) => path ?? '')
      expect(links.filter(path => !existsSync(join(root, dirname(page), path)))).toEqual([])
    })

  for (const page of pages)
    it(`${page} names npm scripts that exist`, () => {
      const { scripts } = JSON.parse(read('package.json'))
      const named = [...read(page).matchAll(/npm run ([a-z][a-z:]*)/g)].map(([, script]) => script)
      expect(named.filter(script => !(script! in scripts))).toEqual([])
    })
})

/** The program by its file, as a fresh clone has it, or by its name. */
const COMMAND = /^(node dist\/kairship\.js|(npx )?kairship) /

describe('the README', () => {
  const commands = ['', 'sh']
    .flatMap(language => blocks('README.md', language))
    .flatMap(text => text.split('\n').filter(line => COMMAND.test(line)))

  it('shows only commands that the command line has', async () => {
    expect(commands.length).toBeGreaterThan(2)
    for (const command of commands) {
      const ran: string[] = []
      const names = [...settings.config.commands]
      const noted = (name: string) => async () => {
        ran.push(name)
        return ExitCode.ok
      }
      const actions = Object.fromEntries(names.map(name => [name, noted(name)]))
      const terminal = {
        out: () => undefined,
        err: (text: string) => expect.unreachable(`${command}: ${text}`),
      }
      const words = command
        .replace(COMMAND, '')
        .replace(/\s+#.*$/, '')
        .split(' ')
      const sources = { environment: {}, readFile: () => '' }
      expect(await run(words, actions as unknown as Actions, sources, terminal), command).toBe(ExitCode.ok)
      expect(ran, command).toHaveLength(1)
    }
  })

  it('shows an Instance that an API server accepts, with no field unknown to it', () => {
    const [instance] = blocks('README.md', 'yaml').map(text => parse(text))
    const { schema } = definitionFromCrd(parse(read('manifests/crds/instances.kairship.io.yaml')), 'v1alpha1')
    expect(validate(schema, instance)).toEqual([])
    expect(prune(schema, instance).unknownFields).toEqual([])
  })

  it('names only folders of manifests that exist', () => {
    for (const folder of ['manifests/crds', 'manifests/install']) {
      expect(read('README.md')).toContain(`-f ${folder}`)
      expect(existsSync(join(root, folder))).toBe(true)
    }
  })
})

it('the import table of ARCHITECTURE.md has the folders of the architecture test', () => {
  const rows = [...read('ARCHITECTURE.md').matchAll(/^\| `([a-z]+)\/` +\|/gm)].map(([, folder]) => folder)
  const held = [...read('test/architecture.test.ts').matchAll(/^ {2}([a-z]+): \{/gm)].map(
    ([, folder]) => folder,
  )
  expect(rows.sort()).toEqual(held.sort())
})
