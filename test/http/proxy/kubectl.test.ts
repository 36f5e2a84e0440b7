import { spawn } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { waitFor } from '../../patience.js'
import { kubectls, type Run, runKubectl } from '../../scenarios/support/kubectl.js'
import { comparable } from './comparable.js'
import { letIn, type PlaygroundProxy, startPlaygroundProxy } from './playground-proxy.js'
import { memberScene, type Scene, scenes } from './scenes.js'

/** One command, how it ended, and what it said that can be compared. */
interface Told {
  readonly command: string
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Commands that ended otherwise than they must: two that fail in the same way are equal, too. */
const unexpected = ({ steps }: Scene, told: readonly Told[]): readonly Told[] =>
  told.filter(({ code }, index) => {
    const ends = steps[index]?.ends ?? 'well'
    return ends !== 'either' && (code === 0) !== (ends === 'well')
  })

const found = kubectls()
if (found.length === 0) {
  it.skip('kubectl works through the proxy: no kubectl found; name one or several in KAIRSHIP_KUBECTL', () =>
    undefined)
}

describe.runIf(found.length > 0)('kubectl through the proxy', () => {
  let proxy: PlaygroundProxy
  let editor: string

  beforeAll(async () => {
    proxy = await startPlaygroundProxy()
    editor = join(proxy.folder, 'editor.sh')
    await writeFile(editor, '#!/bin/sh\nsed -i "s/colour: red/colour: green/" "$1"\n')
    await chmod(editor, 0o700)
    await letIn(proxy)
    const { local } = proxy.playground.karmadas.get(proxy.instance)!.server
    const path = '/api/v1/namespaces'
    await local.request({ method: 'POST', path, body: { metadata: { name: 'many' } } })
    const filling = Array.from({ length: 1_200 }, (_, index) =>
      local.request({
        method: 'POST',
        path: `${path}/many/configmaps`,
        body: { metadata: { name: `one-of-many-${index}` }, data: { filling: 'x'.repeat(200) } },
      }),
    )
    await Promise.all(filling)
  })
  afterAll(() => proxy?.close())

  const run = (
    kubectl: string,
    as: 'admin' | 'viewer' | 'direct',
    words: readonly string[],
    options: { input?: string; kubeconfig?: string } = {},
  ): Promise<Run> =>
    runKubectl(kubectl, words, {
      kubeconfig: options.kubeconfig ?? proxy.file(as),
      home: join(proxy.folder, `home-${as}-${found.indexOf(kubectl)}`),
      env: { KUBE_EDITOR: editor },
      ...(options.input === undefined ? {} : { input: options.input }),
    })

  /** All that the commands of a scene said, one after the other, less what must differ. */
  async function play(kubectl: string, scene: Scene, as: 'admin' | 'direct', kubeconfig?: string) {
    const story: Told[] = []
    for (const { words, input } of scene.steps) {
      const told = input === undefined ? {} : { input }
      const { code, stdout, stderr } = await run(kubectl, as, words, {
        ...told,
        ...(kubeconfig ? { kubeconfig } : {}),
      })
      story.push({
        command: words.join(' '),
        code,
        stdout: comparable(stdout),
        stderr: comparable(stderr),
      })
    }
    return story
  }

  describe.each(found)('%s', kubectl => {
    it.each(scenes)('$what: prints exactly what it prints without Kairship', async scene => {
      const direct = await play(kubectl, scene, 'direct')
      const through = await play(kubectl, scene, 'admin')
      expect(through).toEqual(direct)
      expect(unexpected(scene, direct)).toEqual([])
    })

    it(`${memberScene.what}: prints exactly what it prints without Kairship`, async () => {
      const files = await Promise.all(
        (['direct', 'admin'] as const).map(async as => {
          const file = join(proxy.folder, `member-${as}`)
          await writeFile(file, proxy.memberKubeconfig(as))
          return file
        }),
      )
      const direct = await play(kubectl, memberScene, 'direct', files[0])
      const through = await play(kubectl, memberScene, 'admin', files[1])
      expect(through).toEqual(direct)
      expect(unexpected(memberScene, direct)).toEqual([])
    })

    it('reads a paged list completely, with each object once', async () => {
      const words = ['-n', 'many', 'get', 'configmaps', '-o', 'name', '--chunk-size=500']
      const [direct, through] = [await run(kubectl, 'direct', words), await run(kubectl, 'admin', words)]
      expect(through).toEqual(direct)
      expect(new Set(through.stdout.trim().split('\n')).size).toBe(1_200)
    })

    it('get --watch prints each change as it happens', async () => {
      const space = `watched-${found.indexOf(kubectl)}`
      const { local } = proxy.playground.karmadas.get(proxy.instance)!.server
      const path = '/api/v1/namespaces'
      await local.request({ method: 'POST', path, body: { metadata: { name: space } } })
      const words = ['-n', space, 'get', 'configmaps', '-w', '-o', 'name']
      const child = spawn(kubectl, words, {
        env: {
          PATH: process.env.PATH,
          HOME: join(proxy.folder, 'home-watch'),
          KUBECONFIG: proxy.file('admin'),
        },
      })
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', text => (printed += text))
      const ended = new Promise(resolve => child.once('close', resolve))
      try {
        for (const name of ['first', 'second']) {
          const body = { metadata: { name } }
          await local.request({ method: 'POST', path: `${path}/${space}/configmaps`, body })
          await waitFor(() => expect(printed).toContain(`configmap/${name}\n`))
        }
        await local.request({ method: 'DELETE', path: `${path}/${space}/configmaps/first` })
        await waitFor(() => expect(printed.match(/configmap\/first\n/g)).toHaveLength(2))
      } finally {
        child.kill()
        await ended
      }
    })

    it('prints the refusal of Kairship or of the instance', async () => {
      const create = await run(kubectl, 'viewer', ['create', 'namespace', 'x'])
      expect(create.stderr).toMatch(/User "viewer@playground" cannot create resource "instances\/proxy"/)
      const secrets = await run(kubectl, 'viewer', ['get', 'secrets'])
      expect(secrets.stderr).toMatch(/User "viewer@playground" cannot list resource "secrets"/)
    })

    it('acts as somebody else with --as, where the instance lets the caller', async () => {
      const eve = await run(kubectl, 'admin', ['get', 'namespaces', '--as=eve', '--as-group=dev'])
      expect(eve.stderr).toContain('User "eve" cannot list resource "namespaces"')
      const viewer = await run(kubectl, 'viewer', ['get', 'namespaces', '--as=eve'])
      expect(viewer.stderr).toContain('User "viewer@playground" cannot impersonate resource "users"')
      const masters = await run(kubectl, 'admin', ['get', 'secrets', '--as=eve', '--as-group=system:masters'])
      expect(masters.stderr).toContain('nobody can impersonate it through Kairship')
    })

    it('answers whoami with the caller’s name', async () => {
      const review = 'apiVersion: authentication.k8s.io/v1\nkind: SelfSubjectReview\n'
      const words = 'create --validate=false -f - -o jsonpath={.status.userInfo.username}'.split(' ')
      const { stdout, stderr } = await run(kubectl, 'viewer', words, { input: review })
      expect([stdout, stderr]).toEqual(['viewer@playground', ''])
    })
  })
})
