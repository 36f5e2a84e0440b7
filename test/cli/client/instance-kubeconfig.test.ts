import { expect, it } from 'vitest'
import { issuedKubeconfig } from '../../../cli/client/instance-kubeconfig.js'
import { ExitCode } from '../../../cli/exit-code.js'
import { type Config, defaults } from '../../../config.js'
import { asking } from '../scripted-client.js'

/** Calls it with these flags. @returns the kubeconfig, and what was sent */
async function issued(flags: Partial<Config>) {
  const posted: unknown[] = []
  const { client } = asking({
    post: async (path, body) => {
      posted.push([path, body])
      return { kubeConfigString: 'kind: Config\n' }
    },
  })
  return { text: await issuedKubeconfig(client, { ...defaults('kubeconfig'), ...flags }, 'eu'), posted }
}
const path = '/apis/kairship.io/v1alpha1/instances/eu/kubeconfig:scoped'

it('without a role none is issued', async () => {
  expect(await issued({})).toEqual({ text: undefined, posted: [] })
})

it.each([
  [{ role: 'viewer' }, { role: 'INSTANCE_ROLE_VIEWER' }],
  [
    { role: 'editor', scopeNamespaces: 'a,b', duration: 3600 },
    { role: 'INSTANCE_ROLE_EDITOR', namespaces: ['a', 'b'], expirationSeconds: 3600 },
  ],
  [{ role: 'admin' }, { role: 'INSTANCE_ROLE_ADMIN' }],
] as [Partial<Config>, object][])('with %j is issued for %j', async (flags, request) => {
  expect(await issued(flags)).toEqual({ text: 'kind: Config\n', posted: [[path, request]] })
})

it.each([{ scopeNamespaces: 'a' }, { duration: 600 }] as Partial<Config>[])(
  '%j without a role is refused before any request',
  async flags => {
    await expect(issued(flags)).rejects.toMatchObject({
      message: '--namespaces and --duration need --role or --short-lived',
      exitCode: ExitCode.usage,
    })
  },
)

it.each([599, 720 * 3600 + 1])(
  'for %i seconds is refused before any request, by the name of the flag',
  async duration => {
    await expect(issued({ role: 'viewer', duration })).rejects.toMatchObject({
      message: '--duration must be from 10m to 720h',
      exitCode: ExitCode.usage,
    })
  },
)

it.each([
  [{}, { expirationSeconds: undefined }],
  [{ duration: 600 }, { expirationSeconds: 600 }],
])('a short-lived one has a token in the own name: %j', async (flags, { expirationSeconds }) => {
  expect(await issued({ shortLived: true, ...flags })).toEqual({
    text: 'kind: Config\n',
    posted: [
      [
        '/apis/kairship.io/v1alpha1/instances/eu/token',
        expirationSeconds === undefined ? {} : { expirationSeconds },
      ],
    ],
  })
})

it.each([
  [{ role: 'viewer' }, '--short-lived is in your own name: leave out --role and --namespaces'],
  [{ scopeNamespaces: 'a' }, '--short-lived is in your own name: leave out --role and --namespaces'],
  [{ duration: 59 }, '--duration must be from 1m to 1h with --short-lived'],
  [{ duration: 3601 }, '--duration must be from 1m to 1h with --short-lived'],
] as [Partial<Config>, string][])('a short-lived one with %j is refused', async (flags, message) => {
  await expect(issued({ shortLived: true, ...flags })).rejects.toMatchObject({
    message,
    exitCode: ExitCode.usage,
  })
})
