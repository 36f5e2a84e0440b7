import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ApiServer, startApiServer } from '../../playground/apiserver/server.js'
import { kubectls, type RunOptions, runKubectl } from './support/kubectl.js'

let server: ApiServer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubectl-'))
  server = await startApiServer({ name: 'kubectl' })
  const kubeconfig = await server.kubeconfig({ name: 'admin', groups: ['system:masters'] })
  await writeFile(join(folder, 'kubeconfig'), kubeconfig, { mode: 0o600 })
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

const deployment = (name: string, image = 'web:1', more = '') => `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  replicas: 2
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      containers:
      - name: main
        image: ${image}
${more}`

const crd = (group: string) => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ships.${group}}
spec:
  group: ${group}
  scope: Namespaced
  names: {plural: ships, singular: ship, kind: Ship, listKind: ShipList, shortNames: [sh]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    additionalPrinterColumns:
    - {name: Length, type: integer, jsonPath: .spec.length}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [length]
            properties:
              length: {type: integer, minimum: 1, description: Metres from bow to stern.}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

const found = kubectls()
if (found.length === 0) {
  it.skip('kubectl works: no kubectl found; name one or several in KAIRSHIP_KUBECTL', () => undefined)
}

describe.each(found)('%s', kubectl => {
  const space = `ns-${found.indexOf(kubectl)}`
  const home = () => join(folder, space)

  const run = (args: readonly string[], options: Pick<RunOptions, 'input' | 'env'> = {}) =>
    runKubectl(kubectl, ['-n', space, ...args], {
      kubeconfig: join(folder, 'kubeconfig'),
      home: home(),
      ...options,
    })

  /** Runs a command that must succeed and returns what it printed. */
  async function ok(args: string, input?: string): Promise<string> {
    const { code, stdout, stderr } = await run(args.split(' '), input === undefined ? {} : { input })
    expect(code, `kubectl ${args}\n${stdout}${stderr}`).toBe(0)
    return stdout
  }

  /** Resolves when the next watch is asked for. */
  function nextWatch(): Promise<void> {
    return new Promise(resolve => {
      const stop = server.interrupt({
        kind: 'answer',
        matches: ({ query }) => {
          if (query.get('watch') !== 'true') return false
          stop()
          resolve()
          return false
        },
        response: { code: 500, body: { object: {} } },
      })
    })
  }

  beforeAll(async () => {
    await server.local.request({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { metadata: { name: space } },
    })
  })

  it('apply creates an object, then changes nothing, then changes the differences', async () => {
    expect(await ok('apply -f -', deployment('applied'))).toBe('deployment.apps/applied created\n')
    expect(await ok('apply -f -', deployment('applied'))).toBe('deployment.apps/applied unchanged\n')
    expect(await ok('apply -f -', deployment('applied', 'web:2'))).toBe(
      'deployment.apps/applied configured\n',
    )
    expect(await ok('get deployment applied -o jsonpath={.spec.template.spec.containers[0].image}')).toBe(
      'web:2',
    )
  })

  it('apply refuses an unknown field', async () => {
    const { code, stderr } = await run(['apply', '-f', '-'], {
      input: deployment('typo', 'web:1', '  replica: 3'),
    })
    expect(code).toBe(1)
    expect(stderr).toMatch(/unknown field "(spec\.)?replica"/)
  })

  it('apply --server-side refuses a field of another manager, unless forced', async () => {
    await ok('apply --server-side --field-manager=one -f -', deployment('shared'))
    const other = ['apply', '--server-side', '--field-manager=two', '-f', '-']
    const refused = await run(other, { input: deployment('shared', 'web:9') })
    expect(refused.code).not.toBe(0)
    expect(refused.stderr).toContain('conflict with "one"')
    expect(refused.stderr).toContain('.spec.template.spec.containers[name="main"].image')
    const forced = await run([...other, '--force-conflicts'], { input: deployment('shared', 'web:9') })
    expect(forced.stdout).toBe('deployment.apps/shared serverside-applied\n')
  })

  it('diff prints what an apply would change and changes nothing', async () => {
    await ok('apply -f -', deployment('differing'))
    const { code, stdout } = await run(['diff', '-f', '-'], { input: deployment('differing', 'web:2') })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^-\s+- image: web:1$/m)
    expect(stdout).toMatch(/^\+\s+- image: web:2$/m)
    expect((await run(['diff', '-f', '-'], { input: deployment('differing') })).code).toBe(0)
  })

  it('edit sends the object from the editor', async () => {
    await ok('apply -f -', deployment('edited'))
    const editor = join(folder, `editor-${space}.sh`)
    await writeFile(editor, '#!/bin/sh\nsed -i "s/replicas: 2/replicas: 7/" "$1"\n')
    await chmod(editor, 0o700)
    const edited = await run(['edit', 'deployment', 'edited'], { env: { EDITOR: editor } })
    expect(edited.stdout).toContain('edited')
    expect(await ok('get deployment edited -o jsonpath={.spec.replicas}')).toBe('7')
  })

  it('get prints the columns of built-in and custom types', async () => {
    const group = `get.${space}.example.com`
    await ok('apply -f -', crd(group))
    await ok(`wait --for=condition=Established crd/ships.${group} --timeout=200s`)
    await ok(
      'apply -f -',
      `apiVersion: ${group}/v1\nkind: Ship\nmetadata: {name: argo}\nspec: {length: 30}\n`,
    )
    expect(await ok(`get ships.${group}`)).toMatch(/^NAME +LENGTH\nargo +30\n$/)
    await ok('apply -f -', deployment('columns'))
    expect(await ok('get deployment columns -o wide')).toMatch(
      /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE +CONTAINERS +IMAGES +SELECTOR\ncolumns +0\/2 +0 +0 +\d+s +main +web:1 +app=columns\n$/,
    )
    const refused = await run(['apply', '-f', '-'], {
      input: `apiVersion: ${group}/v1\nkind: Ship\nmetadata: {name: raft}\nspec: {length: 0}\n`,
    })
    expect(refused.stderr).toContain(
      'spec.length: Invalid value: 0: spec.length in body should be greater than or equal to 1',
    )
  })

  it('create makes built-in objects, sent as protobuf by newer versions, and auth can-i answers', async () => {
    await ok('create deployment created --image=web:1')
    expect(
      await ok('get deployment created -o jsonpath={.spec.replicas},{.spec.template.spec.restartPolicy}'),
    ).toBe('1,Always')
    await ok('create configmap created --from-literal=key=value')
    expect(await ok('get configmap created -o jsonpath={.data}')).toBe('{"key":"value"}')
    await ok('create role reader --verb=get --resource=configmaps')
    await ok('create rolebinding reader --role=reader --user=ann')
    expect(await ok('auth can-i get configmaps --as=ann')).toBe('yes\n')
    expect((await run(['auth', 'can-i', 'delete', 'configmaps', '--as=ann'])).stdout).toContain('no')
  })

  it('wait notices a condition that becomes true, and a deletion', async () => {
    await ok('apply -f -', deployment('awaited'))
    const path = `/apis/apps/v1/namespaces/${space}/deployments/awaited`
    const patch = (at: string, body: object) =>
      server.local.request({ method: 'PATCH', path: at, contentType: 'application/merge-patch+json', body })
    const available = nextWatch()
    const waiting = ok('wait deployment/awaited --for=condition=Available --timeout=200s')
    await available
    await patch(`${path}/status`, { status: { conditions: [{ type: 'Available', status: 'True' }] } })
    expect(await waiting).toBe('deployment.apps/awaited condition met\n')

    await patch(path, { metadata: { finalizers: ['example.com/hold'] } })
    await ok('delete deployment awaited --wait=false')
    const deletion = nextWatch()
    const gone = ok('wait deployment/awaited --for=delete --timeout=200s')
    await deletion
    await patch(path, { metadata: { finalizers: null } })
    await gone
  })

  it('describe prints an object with its events', async () => {
    await ok('apply -f -', deployment('described'))
    const { metadata } = await server.local.request<{ metadata: { uid: string } }>({
      method: 'GET',
      path: `/apis/apps/v1/namespaces/${space}/deployments/described`,
    })
    await server.local.request({
      method: 'POST',
      path: `/api/v1/namespaces/${space}/events`,
      body: {
        metadata: { generateName: 'described.' },
        involvedObject: { kind: 'Deployment', namespace: space, name: 'described', uid: metadata.uid },
        reason: 'Noticed',
        message: 'somebody looked',
        type: 'Normal',
      },
    })
    const text = await ok('describe deployment described')
    expect(text).toMatch(/Replicas: +2 desired/)
    expect(text).toMatch(/Normal +Noticed .*somebody looked/)
  })

  it('delete of a namespace deletes its content and returns when it is gone', async () => {
    const name = `${space}-doomed`
    await ok('apply -f -', `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n`)
    await ok(`apply -n ${name} -f -`, deployment('inside'))
    expect(await ok(`delete namespace ${name}`)).toContain(`namespace "${name}" deleted`)
    const { stderr } = await run(['get', 'namespace', name])
    expect(stderr).toBe(`Error from server (NotFound): namespaces "${name}" not found\n`)
  })

  it('api-resources lists types with short names, and explain their fields', async () => {
    expect(await ok('api-resources')).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m)
    const group = `explain.${space}.example.com`
    await ok('apply -f -', crd(group))
    await ok(`wait --for=condition=Established crd/ships.${group} --timeout=200s`)
    expect(await ok('explain deployment.spec.replicas')).toMatch(/FIELD: +replicas <integer>/)
    // kubectl 1.20 keeps discovery for ten minutes and looks again only for a type that it does not know.
    await expect
      .poll(() => run(['explain', `ships.spec.length`, `--api-version=${group}/v1`]))
      .toMatchObject({
        stdout: expect.stringContaining('Metres from bow to stern.'),
      })
  })
})
