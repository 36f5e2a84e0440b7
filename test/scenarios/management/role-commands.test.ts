import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ExitCode } from '../../../cli/exit-code.js'
import { INSTANCE_ROLE_BINDINGS } from '../../../manifests/instance-role-binding.js'
import { RoleBindingService } from '../../../proto/gen/kairship/rolebinding_pb.js'
import { KairshipProcess } from '../support/kairship-process.js'
import { ManagedWorld } from '../support/managed-world.js'

const world = new ManagedWorld(RoleBindingService)
let home: string
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'kairship-roles-'))
  writeFileSync(join(home, 'ca.crt'), world.world.api.certificateAuthority ?? '')
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** A command of a real process. */
async function kairship(token: string, ...words: readonly string[]) {
  const { url } = world.world.api
  const args = [...words, '--server', url, '--certificate-authority', join(home, 'ca.crt')]
  const command = KairshipProcess.start(args, { HOME: home, KAIRSHIP_TOKEN: token }, home)
  const { code } = await command.ended
  return { code, out: command.stdout, err: command.stderr }
}

it('a role that is given by a command is listed, audited and taken away again', async () => {
  const { admin, viewer } = world.world.playground.tokens
  const words = ['give-role', 'Viewer', 'group/system:authenticated', `instance/${world.instance}`]
  const more = ['-n', 'default', '--for', '2h', '--reason', 'INC-7']
  const refused = await kairship(viewer, ...words, ...more)
  expect([refused.code, refused.err]).toEqual([
    ExitCode.denied,
    expect.stringContaining('instancerolebindings'),
  ])

  const made = await kairship(admin, ...words, ...more, '-o', 'json')
  expect(made.code, made.err).toBe(ExitCode.ok)
  const { name, expiresAt } = JSON.parse(made.out) as { name: string; expiresAt: string }
  expect(made.err).toContain(`Warning: ${name}: the group system:authenticated is everyone who can log in`)
  expect(await world.find(world.world.playground.host.local, INSTANCE_ROLE_BINDINGS, { name })).toMatchObject(
    {
      spec: { instance: world.instance, role: 'Viewer', namespaces: ['default'], reason: 'INC-7', expiresAt },
    },
  )
  const again = await kairship(admin, ...words, ...more)
  expect([again.code, again.err]).toEqual([ExitCode.failed, expect.stringContaining('is there already')])

  const roles = await kairship(admin, 'roles', world.instance, '--no-headers')
  expect(roles.out.replaceAll(/ {3,}/g, '   ')).toContain(
    `${name}   Viewer   group/system:authenticated   instance/${world.instance}, namespaces default`,
  )
  const audit = await kairship(admin, 'audit')
  expect([audit.code, audit.err, audit.out]).toEqual([
    ExitCode.ok,
    '',
    expect.stringMatching(/admin@playground +create instancerolebindings/),
  ])
  const taken = await kairship(admin, 'take-role', name)
  expect([taken.code, taken.out]).toEqual([ExitCode.ok, `${name}: taken away\n`])
  const gone = await kairship(admin, 'take-role', name)
  expect([gone.code, gone.err]).toEqual([ExitCode.notFound, expect.stringContaining('not found')])
})

it('an instance that is bound by a command belongs to the workspace, until another command releases it', async () => {
  const { admin, viewer } = world.world.playground.tokens
  const place = ['shop', `instance/${world.instance}`]
  const refused = await kairship(viewer, 'workspace', 'bind', ...place)
  expect([refused.code, refused.err]).toEqual([
    ExitCode.denied,
    expect.stringContaining('instances/workspace'),
  ])
  const bound = await kairship(admin, 'workspace', 'bind', ...place)
  expect([bound.code, bound.out]).toEqual([
    ExitCode.ok,
    `instance/${world.instance} belongs to workspace/shop\n`,
  ])
  const listed = await kairship(admin, 'workspace', 'list', 'shop', '--no-headers')
  expect(listed.out, listed.err).toMatch(new RegExp(`^shop +\\d+ +${world.instance} +-`))
  const elsewhere = await kairship(admin, 'workspace', 'bind', 'platform', `instance/${world.instance}`)
  expect([elsewhere.code, elsewhere.err]).toEqual([ExitCode.failed, expect.stringContaining('shop')])
  const released = await kairship(admin, 'workspace', 'unbind', ...place)
  expect(released.out).toBe(`instance/${world.instance} no longer belongs to workspace/shop\n`)
})
