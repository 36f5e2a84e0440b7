import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ExitCode } from '../../cli/exit-code.js'
import { ACCESS_LOCKS } from '../../manifests/access-lock.js'
import { resourcePath } from '../../manifests/kube.js'
import { signIn } from '../cli/login/logged-in.js'
import { eventually } from './support/eventually.js'
import { kubectls, loginFlags } from './support/kubectl.js'
import { type LoginWorld, startLoginWorld } from './support/login-world.js'

let world: LoginWorld
beforeAll(async () => {
  world = await startLoginWorld()
})
afterAll(() => world?.close())

/** Logs in as a person does, and returns what the terminal shows in the end. */
async function loggedIn(name: string, ...args: string[]): Promise<string> {
  const { process, address } = await world.login(...args)
  const page = await signIn(world.issuer, address, name)
  expect(page.text).toContain('You are logged in')
  const { code } = await process.ended
  expect({ code, stderr: process.stderr }).toMatchObject({ code: ExitCode.ok })
  return process.stdout
}

describe.skipIf(kubectls().length === 0).each(kubectls())('%s, after kairship login', kubectl => {
  it('reaches every instance that its user may see, with their rights', async () => {
    const said = await loggedIn('vera', ...loginFlags(kubectl))
    expect(said).toContain(`Logged in to ${world.api.url} as vera`)
    for (const instance of world.proxy.playground.karmadas.keys()) {
      const context = ['--context', `kairship-${instance}`]
      expect(said).toContain(`kairship-${instance}`)
      const { stdout, stderr } = await world.kubectl(kubectl, ...context, 'get', 'clusters', '-o', 'name')
      expect({ stdout, stderr }).toEqual({ stdout: `cluster.cluster.karmada.io/${instance}-a\n`, stderr: '' })
      const refused = await world.kubectl(kubectl, ...context, 'create', 'namespace', 'vera')
      expect(refused.stderr).toMatch(/playground:vera.* cannot create|forbidden/i)
    }
  })

  it('twenty at once renew an expired token once, all succeed, and no browser opens', async () => {
    await loggedIn('ada', ...loginFlags(kubectl))
    const [refreshes, browsers] = [world.issuer.refreshes, world.opened().length]
    world.expire()
    const runs = await Promise.all(
      Array.from({ length: 20 }, () => world.kubectl(kubectl, 'get', 'namespaces', '-o', 'name')),
    )
    expect(runs.filter(({ code }) => code !== 0)).toEqual([])
    expect([world.issuer.refreshes - refreshes, world.opened().length - browsers]).toEqual([1, 0])
  })

  it('says to log in when the issuer has ended the login', async () => {
    await loggedIn('ada', ...loginFlags(kubectl))
    for (const { login } of world.store.all()) world.store.write({ ...login, refreshToken: 'withdrawn' })
    world.expire()
    const { code, stderr } = await world.kubectl(kubectl, 'get', 'namespaces')
    expect(code).not.toBe(0)
    expect(stderr).toContain(`run "kairship login --server ${world.api.url}"`)
  })

  it('has no context any more for instances that its user cannot see', async () => {
    await loggedIn('ada', ...loginFlags(kubectl))
    const said = await loggedIn('nils', ...loginFlags(kubectl))
    expect(said).toContain(
      'Removed, because you cannot see their instances: kairship-eu-west, kairship-us-east',
    )
    expect(said).toContain('You may see no instance yet')
    const { stdout } = await world.kubectl(kubectl, 'config', 'get-contexts', '-o', 'name')
    expect(stdout).toBe('')
  })
})

it('tells somebody who is locked out why, and leaves the login and the contexts of before', async () => {
  await loggedIn('ada')
  const [kubeconfig, logins] = [world.kubeconfig(), world.store.all()]
  const host = world.proxy.playground.host.local
  const spec = { user: 'playground:ada', message: 'laptop stolen: call security' }
  await host.request({
    ...{ method: 'POST', path: resourcePath(ACCESS_LOCKS) },
    body: { apiVersion: 'kairship.io/v1alpha1', kind: 'AccessLock', metadata: { name: 'stolen' }, spec },
  })
  await eventually('the lock is in effect', async () =>
    expect((await world.kairship('get', 'instances').ended).code).toBe(ExitCode.denied),
  )
  const { process, address } = await world.login()
  await signIn(world.issuer, address, 'ada')
  expect((await process.ended).code).toBe(ExitCode.denied)
  expect(process.stderr).toContain('laptop stolen: call security')
  expect(world.kubeconfig()).toBe(kubeconfig)
  expect(world.store.all()).toEqual(logins)
  await host.request({ method: 'DELETE', path: resourcePath(ACCESS_LOCKS, { name: 'stolen' }) })
})

describe('other commands of kairship', () => {
  it('use the login, renew it, and say so when it is over', async () => {
    await loggedIn('ada')
    world.expire()
    const refreshes = world.issuer.refreshes
    const get = world.kairship('get', 'instances', '-o', 'name')
    expect((await get.ended).code, get.stderr).toBe(0)
    expect(get.stdout).toContain('eu-west')
    expect(world.issuer.refreshes - refreshes).toBe(1)
    const logout = world.kairship('logout')
    expect((await logout.ended).code, logout.stderr).toBe(0)
    expect(logout.stdout).toContain('its issuer has withdrawn it')
    expect(world.store.all()).toEqual([])
    const after = world.kairship('get', 'instances')
    expect((await after.ended).code).toBe(ExitCode.denied)
    expect(after.stderr).toContain('run "kairship login"')
  })

  it('print a kubeconfig that asks for the credential of the login, and has no token', async () => {
    await loggedIn('ada')
    const print = world.kairship('kubeconfig', 'eu-west')
    expect((await print.ended).code, print.stderr).toBe(0)
    expect(print.stdout).toContain('client.authentication.k8s.io/v1')
    expect(print.stdout).not.toContain('token:')
  })
})

it('a login that is interrupted ends at once, and changes nothing', async () => {
  for (const { id } of world.store.all()) world.store.remove(id)
  const { process } = await world.login()
  process.kill('SIGINT')
  expect((await process.ended).code).toBe(ExitCode.failed)
  expect(process.stderr).toContain('the login was interrupted: nothing was changed')
  expect(world.store.all()).toEqual([])
})

it('a login for which nobody signs in ends after its time', async () => {
  const login = world.kairship('login', '--timeout', '1s')
  expect((await login.ended).code).toBe(ExitCode.timedOut)
  expect(login.stderr).toContain('nobody signed in within 1 s')
})

it('a Kairship at which nobody can log in says why, and one whose authority is not known is not asked', async () => {
  const { url, certificateAuthority = '' } = world.proxy.api
  const ca = join(world.proxy.folder, 'without-login.crt')
  writeFileSync(ca, certificateAuthority)
  const login = world.kairship('login', '--server', url, '--certificate-authority', ca)
  expect((await login.ended).code).toBe(ExitCode.failed)
  expect(login.stderr).toContain('loginClientId is not set')
  const unknown = world.kairship('login', '--server', url)
  expect((await unknown.ended).code).toBe(ExitCode.failed)
  expect(unknown.stderr).toMatch(/cannot reach .*certificate/)
})
