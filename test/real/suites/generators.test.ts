import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openApiDocument } from '../../../http/rest/openapi.js'
import { testApi } from '../../http/fakes/api.js'
import { repositoryFolder } from '../repository.js'

const run = promisify(execFile)
const document = openApiDocument(testApi().api.services) as unknown as {
  paths: Record<string, Record<string, { readonly operationId: string }>>
  components: { schemas: Record<string, { readonly properties?: Record<string, Property> }> }
}
interface Property {
  readonly type?: string
  readonly items?: { readonly type?: string }
}
const schemas = Object.keys(document.components.schemas)
const operations = Object.values(document.paths).flatMap(path => Object.values(path))

/** The folders of the generators, as a part of PATH. */
let programs: string
let folder: string
beforeAll(() => {
  const stdio = ['ignore', 'pipe', 'inherit'] as const
  programs = execFileSync(join(repositoryFolder, '.ci/generators'), {
    encoding: 'utf8',
    stdio: [...stdio],
  }).trim()
  folder = mkdtempSync(join(tmpdir(), 'kairship-generators-'))
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(document))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs one of the programs in the folder of the document. @returns all it printed @throws Error when it fails */
async function generate(program: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, PATH: `${programs}${delimiter}${process.env.PATH}` }
  const { stdout, stderr } = await run(program, args, {
    cwd: folder,
    env,
    maxBuffer: 1 << 26,
  })
  return stdout + stderr
}

/** Names as compared between languages: `CPUUsage` is `cpu_usage` in one and `CpuUsage` in another. */
const plain = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, '').toLowerCase()

/** The names that models of what messages hold without naming it have: maps, and objects of any type. */
const inline = (): string[] =>
  Object.entries(document.components.schemas).flatMap(([message, { properties = {} }]) =>
    Object.entries(properties).flatMap(([field, { type, items }]) => {
      if (type === 'object') return plain(`${message}${field}`)
      return items?.type === 'object' ? plain(`${message}${field}Item`) : []
    }),
  )

describe('the OpenAPI document', () => {
  it.each([
    ['openapi-typescript', ['openapi.json', '-o', 'types.ts'], 'types.ts'],
    ['swagger-typescript-api', ['generate', '-p', 'openapi.json', '-o', '.', '-n', 'client.ts'], 'client.ts'],
  ])('gives %s a client that compiles with strict types', async (program, args, file) => {
    await generate(program, ...args)
    const strict = ['--strict', '--noEmit', '--target', 'es2022', '--module', 'esnext']
    const browser = ['--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable']
    expect(await generate('tsc', ...strict, ...browser, file)).toBe('')
  })

  it('gives openapi-python-client a client without a warning: each operation once, each message once', async () => {
    await generate(
      'openapi-python-client',
      ...['generate', '--path', 'openapi.json', '--output-path', 'kairship_client'],
      ...['--meta', 'none', '--fail-on-warning'],
    )
    const imports = `import importlib, pkgutil, kairship_client
for module in pkgutil.walk_packages(kairship_client.__path__, "kairship_client."):
    importlib.import_module(module.name)`
    await generate('python', '-c', imports)

    const modules = (...path: string[]) =>
      readdirSync(join(folder, 'kairship_client', ...path), { recursive: true, encoding: 'utf8' })
        .filter(file => file.endsWith('.py') && !file.endsWith('__init__.py'))
        .map(file => plain(file.slice(file.lastIndexOf('/') + 1, -'.py'.length)))
    expect(modules('api').sort()).toEqual(operations.map(({ operationId }) => plain(operationId)).sort())
    const models = modules('models')
    const written = new Set(models)
    expect(written.size).toBe(models.length)
    expect(schemas.filter(name => !written.has(plain(name)))).toEqual([])
    // What else has a model is written within a message or an operation. A second model of a message would be among them.
    const ids = operations.map(({ operationId }) => plain(operationId))
    const others = models.filter(model => !schemas.some(name => plain(name) === model))
    expect(others.filter(model => !ids.some(id => model.startsWith(id))).sort()).toEqual(inline().sort())
  })
})
