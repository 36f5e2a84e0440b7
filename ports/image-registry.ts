/** An image of a repository. */
export interface RegistryImage {
  /** `sha256:` and 64 hexadecimal digits, of the bytes that the registry sent. */
  readonly digest: string
  /** Bytes of its configuration and layers; 0 for an image of several platforms, whose sizes differ. */
  readonly size: number
}

/**
 * What one call reads of a registry, within a number of requests. All of it throws ServiceError, and the reason of the visit's
 * signal when that aborts. Names are those of the registry, checked for their form.
 */
export interface RegistryVisit {
  /** The names of all repositories, sorted. */
  repositories(): Promise<readonly string[]>
  /** The tags of a repository, sorted. */
  tags(repository: string): Promise<readonly string[]>
  /** The image that a tag names; undefined where the tag is gone. */
  image(repository: string, tag: string): Promise<RegistryImage | undefined>
}

/** An image registry that Kairship may read. */
export interface ImageRegistry {
  readonly name: string
  /** A name for people. */
  readonly alias: string
  /** As it stands in image names: `registry.example:5000`. */
  readonly host: string
  /** The id of the workspace whose registry it is; absent for one that all share. */
  readonly workspaceId?: number
  /** Whether it is read without a credential, so that anyone may pull from it who reaches it. */
  readonly isPublic: boolean
  visit(signal: AbortSignal): RegistryVisit
}

const PART = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*'
const REPOSITORY = new RegExp(`^(?=.{1,255}$)${PART}(?:/${PART})*$`)
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}$/

/** Whether a repository can be called so: https://github.com/opencontainers/distribution-spec, with room for 255 characters. */
export const isRepositoryName = (name: string): boolean => REPOSITORY.test(name)
/** Whether a tag can be called so, by the same spec. */
export const isTag = (name: string): boolean => TAG.test(name)
