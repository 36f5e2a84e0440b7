import type { RegistryVisit } from '../../../ports/image-registry.js'
import { someAtOnce } from '../concurrency/some-at-once.js'

/**
 * The project of repositories whose names have no slash. No repository can be in a project of this name otherwise: parts of
 * names begin with a letter or a digit.
 */
export const NO_PROJECT = '_'

/** The project of a repository: the first part of its name. */
export const projectOf = (repository: string): string => {
  const slash = repository.indexOf('/')
  return slash < 0 ? NO_PROJECT : repository.slice(0, slash)
}

/** Requests of one call to a registry at once. */
export const AT_ONCE = 8

/** An image as messages have it. */
interface ImageArtifact {
  readonly digest: string
  readonly imageSize: bigint
  readonly tags: { readonly name: string }[]
}

/** The images of some tags of a repository, each once with its tags, in the order of their first ones. */
export async function artifactsOf(
  visit: RegistryVisit,
  repository: string,
  tags: readonly string[],
): Promise<ImageArtifact[]> {
  const images = await someAtOnce(tags, AT_ONCE, async tag => ({
    tag,
    image: await visit.image(repository, tag),
  }))
  const found = new Map<string, { size: number; tags: string[] }>()
  for (const { tag, image } of images) {
    // A tag that went away since the list was read.
    if (!image) continue
    const known = found.get(image.digest)
    if (known) known.tags.push(tag)
    else found.set(image.digest, { size: image.size, tags: [tag] })
  }
  return [...found].map(([digest, { size, tags }]) => ({
    digest,
    imageSize: BigInt(size),
    tags: tags.map(name => ({ name })),
  }))
}
