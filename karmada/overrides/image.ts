import type { ImageOverrider } from '../objects/override-policy.js'
import { OverrideError } from './json-edit.js'

/** The parts of an image reference that can be overridden; '' where there is none. */
interface Image {
  readonly registry: string
  readonly repository: string
  readonly tag: string
  readonly digest: string
}

// The grammar of image references (github.com/distribution/reference).
const LABEL = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])'
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?`
const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*'
const NAME = `(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*`
const TAG = '\\w[\\w.-]{0,127}'
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}'
const REFERENCE = new RegExp(`^(${NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`)
const WHOLE_TAG = new RegExp(`^${TAG}$`)
const WHOLE_DIGEST = new RegExp(`^${DIGEST}$`)
/** Karmada takes no longer names. */
const LONGEST_NAME = 255
/** Hexadecimal digits of each kind of digest that is known. */
const DIGEST_LENGTHS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 }

/**
 * Changes one part of an image reference.
 * @throws OverrideError when the text is no image reference
 */
export function overriddenImage(text: string, { component, operator, value = '' }: ImageOverrider): string {
  const image = parseImage(text)
  switch (component) {
    case 'Registry':
      return format({ ...image, registry: changed(image.registry, operator, value) })
    case 'Repository':
      return format({ ...image, repository: changed(image.repository, operator, value) })
    case 'Tag':
      return format(withVersion(image, operator, value))
  }
}

const changed = (part: string, operator: ImageOverrider['operator'], value: string): string =>
  operator === 'add' ? part + value : operator === 'replace' ? value : ''

/** A tag and a digest stand for each other; what is neither changes nothing. */
function withVersion(image: Image, operator: ImageOverrider['operator'], value: string): Image {
  if (operator === 'remove') return image.tag ? { ...image, tag: '' } : { ...image, digest: '' }
  const version = changed(image.tag || image.digest, operator, value)
  if (WHOLE_TAG.test(version)) return { ...image, tag: version, digest: '' }
  if (WHOLE_DIGEST.test(version)) return { ...image, tag: '', digest: version }
  return image
}

function parseImage(text: string): Image {
  const [, name, tag = '', digest = ''] = REFERENCE.exec(text) ?? []
  if (name === undefined || name.length > LONGEST_NAME || (digest && !isDigest(digest)))
    throw new OverrideError(`${JSON.stringify(text)} is no image reference`)
  const slash = name.indexOf('/')
  const host = slash < 0 ? '' : name.slice(0, slash)
  const isRegistry = /[.:]/.test(host) || host === 'localhost'
  return {
    registry: isRegistry ? host : '',
    repository: isRegistry ? name.slice(slash + 1) : name,
    tag,
    // Of a reference with both, Karmada keeps the tag.
    digest: tag ? '' : digest,
  }
}

function isDigest(digest: string): boolean {
  const [algorithm = '', hex = ''] = digest.split(':')
  return hex.length === DIGEST_LENGTHS[algorithm] && /^[0-9a-f]+$/.test(hex)
}

const format = ({ registry, repository, tag, digest }: Image): string => {
  const name = registry ? `${registry}/${repository}` : repository
  return tag ? `${name}:${tag}` : digest ? `${name}@${digest}` : name
}
