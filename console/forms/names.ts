// Rules of API servers for names. The server decides; forms show mistakes earlier.

/** The longest DNS label, and the longest DNS name, in characters. */
const LABEL = 63
const SUBDOMAIN = 253
/** The longest name of a port, in characters. */
const PORT_NAME = 15

/** Names of namespaces, such as `shop`. */
export const isDnsLabel = (text: string): boolean =>
  text.length <= LABEL && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text)

/** Names of most objects, such as `shop.v2`. */
export const isSubdomain = (text: string): boolean =>
  text.length <= SUBDOMAIN && text.split('.').every(part => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part))

/** Names of Services, which begin with a letter. */
export const isServiceName = (text: string): boolean =>
  text.length <= LABEL && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text)

/** Names of ports: with at least one letter, and no two hyphens in a row. */
export const isPortName = (text: string): boolean =>
  text.length <= PORT_NAME &&
  /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text) &&
  /[a-z]/.test(text) &&
  !text.includes('--')

/** A port's number, or the name of one. */
export const isPort = (text: string): boolean =>
  /^\d+$/.test(text) ? Number(text) >= 1 && Number(text) <= 65_535 : isPortName(text)

const isQualified = (text: string): boolean =>
  text.length <= LABEL && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text)

/** Keys of labels and annotations, such as `app.kubernetes.io/name`. */
export function isLabelKey(text: string): boolean {
  const [prefix = '', name, ...more] = text.split('/')
  if (more.length > 0) return false
  return name === undefined ? isQualified(prefix) : isSubdomain(prefix) && isQualified(name)
}

export const isLabelValue = (text: string): boolean => text === '' || isQualified(text)

/** Keys of ConfigMaps and Secrets, which become file names. */
export const isDataKey = (text: string): boolean =>
  text.length <= SUBDOMAIN && /^[-._a-zA-Z0-9]+$/.test(text) && text !== '.' && !text.startsWith('..')

/** A host of an Ingress; the first part of a wildcard is `*`. */
export const isHost = (text: string): boolean => isSubdomain(text.replace(/^\*\./, ''))
