import { execFileSync, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { z } from 'zod'
import { startPlaygroundProcess } from '../playground-process.js'
import { repositoryFolder } from '../real/repository.js'

// Fuzzes the REST API of a playground that it starts: `npm run fuzz [-- <arguments of schemathesis>]`. See README.md here.
const program = execFileSync(join(repositoryFolder, '.ci/schemathesis'), { encoding: 'utf8' }).trim()
const folder = join(repositoryFolder, 'test', 'fuzz')
const api = '/apis/kairship.io/v1alpha1'
/** The instance that `hooks.py` sends requests to. */
const instance = 'eu-west'

/** What fails the run. 4xx are answers too: every refusal is a documented google.rpc.Status. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
].join()

const manifests = z.record(
  z.string(),
  z.object({ apiVersion: z.string(), metadata: z.looseObject({ namespace: z.string().optional() }) }).loose(),
)

const playground = await startPlaygroundProcess()
const scratch = playground.folder
try {
  const { urls, files } = playground.report
  const authority = join(scratch, files.certificateAuthority)
  const authorization = `Bearer ${readFileSync(join(scratch, files.adminToken), 'utf8').trim()}`
  const dispatcher = new Agent({ connect: { ca: readFileSync(authority) } })
  for (const [plural, manifest] of Object.entries(
    manifests.parse(JSON.parse(readFileSync(join(folder, 'manifests.json'), 'utf8'))),
  )) {
    const { apiVersion, metadata } = manifest
    const path = [
      apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`,
      ...(metadata.namespace ? [`namespaces/${metadata.namespace}`] : []),
      plural,
    ].join('/')
    const { statusCode, body } = await request(`${urls.api}${api}/instances/${instance}/proxy/${path}`, {
      dispatcher,
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(manifest),
    })
    const text = await body.text()
    if (statusCode !== 201) throw new Error(`${path} was not created: ${statusCode} ${text}`)
  }
  const document = await request(`${urls.api}/openapi.json`, { dispatcher })
  const schema = join(scratch, 'openapi.json')
  writeFileSync(schema, await document.body.text())
  await dispatcher.destroy()
  process.exitCode = await fuzz(schema, urls.api, authority, authorization)
} finally {
  await playground.close()
}

/** Runs schemathesis. @returns its exit code: 0 when it found nothing */
function fuzz(schema: string, url: string, authority: string, authorization: string): Promise<number> {
  const options = [
    ...[
      'run',
      schema,
      '--url',
      url,
      '--tls-verify',
      authority,
      '--header',
      `Authorization: ${authorization}`,
    ],
    // A watch does not end.
    ...['--exclude-path-regex', ':(watch|inspect)$', '--checks', checks, '--phases', 'coverage,fuzzing'],
    // Names that the hooks put into paths are few: much of what is made up is thrown away.
    ...['--suppress-health-check', 'filter_too_much'],
    ...['--request-timeout', '30', '--max-time', '600', '--max-examples', '20', '--continue-on-failure'],
    ...process.argv.slice(2),
  ]
  return new Promise((resolve, reject) => {
    const child = spawn(program, options, {
      cwd: scratch,
      stdio: 'inherit',
      env: { ...process.env, PYTHONPATH: folder, SCHEMATHESIS_HOOKS: 'hooks' },
    })
    child.once('error', error => reject(new Error(`cannot run ${program}`, { cause: error })))
    child.once('exit', code => resolve(code ?? 1))
  })
}
