import { createHash } from 'node:crypto'

/** A manifest with its tags, as it is pushed. */
export interface PushedManifest {
  readonly repository: string
  readonly tags: readonly string[]
  readonly type: string
  readonly body: Buffer
  /** Contents that it names; they are pushed first. */
  readonly blobs: readonly Buffer[]
}

export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json'
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json'

export const digestOf = (bytes: Buffer): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

const described = (mediaType: string, bytes: Buffer) => ({
  mediaType,
  digest: digestOf(bytes),
  size: bytes.length,
})

function image(repository: string, tags: readonly string[], layers: readonly string[]): PushedManifest {
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { Labels: { of: `${repository}:${tags}` } },
    }),
  )
  const contents = layers.map(text => Buffer.from(text))
  const body = {
    schemaVersion: 2,
    mediaType: OCI_MANIFEST,
    config: described('application/vnd.oci.image.config.v1+json', config),
    layers: contents.map(bytes => described('application/vnd.oci.image.layer.v1.tar', bytes)),
  }
  return {
    repository,
    tags,
    type: OCI_MANIFEST,
    body: Buffer.from(JSON.stringify(body)),
    blobs: [config, ...contents],
  }
}

/** The bytes that image `web` consists of, beside its manifest. */
export const web = image('shop/web', ['v1', 'stable'], ['layer one', 'layer two'])
const web2 = image('shop/web', ['v2'], ['layer one', 'layer two, anew'])
const part = image('shop/multi', ['part'], ['for one platform'])
const multi: PushedManifest = {
  repository: 'shop/multi',
  tags: ['latest'],
  type: OCI_INDEX,
  body: Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: OCI_INDEX,
      manifests: [
        { ...described(OCI_MANIFEST, part.body), platform: { architecture: 'amd64', os: 'linux' } },
      ],
    }),
  ),
  blobs: [],
}

/** What the registries of tests hold, in the order in which it is pushed. */
export const content: readonly PushedManifest[] = [
  web,
  web2,
  part,
  multi,
  image('shop/deep/api', ['1'], ['api']),
  image('tools', ['Latest_1.0-x'], ['tools']),
  image('office/mail', ['x'], ['mail']),
]

/** Names of all repositories, sorted. */
export const repositories = [...new Set(content.map(({ repository }) => repository))].sort()
