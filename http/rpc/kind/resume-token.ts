import { invalidFields } from '../../errors/failure.js'
import { type ListMark, MARK_DIGEST, MARK_VERSION } from '../../objects/list-mark.js'
import { requestDigest } from './request-digest.js'

/** The states of the lists that a stream is made from; null for one that the caller may not read. */
export type Marks = readonly (ListMark | null)[]

/** The form of tokens. Those of another form, of an earlier or later Kairship, start over. */
const FORM = 'list1'
/** Three states and a digest need 250 characters. */
const LONGEST = 1_000

/**
 * What a stream's tokens are of: a digest of its request without the token, of its type and conditions, and of its caller. A token
 * of another one starts over.
 */
export const streamDigest = requestDigest

/**
 * The token of a state. It is no secret and gives no right: it names a state, and everything is read and checked as the caller
 * who sends it.
 */
export function resumeTokenOf(stream: string, marks: Marks): string {
  const states = marks.map(mark => mark && [mark.version, mark.digest])
  return `${FORM}.${Buffer.from(JSON.stringify([stream, states])).toString('base64url')}`
}

/**
 * The states that a token names; undefined for none, and for a token of another stream or form, with which the stream starts over.
 * @throws Failure INVALID_ARGUMENT for what is no token
 */
export function marksOf(token: string, stream: string): Marks | undefined {
  if (token === '') return undefined
  const [, form, text] = /^([a-z]+[0-9]+)\.([A-Za-z0-9_-]+)$/.exec(token) ?? []
  if (form === undefined || text === undefined || token.length > LONGEST) throw noToken()
  if (form !== FORM) return undefined
  const [of, states] = parsed(text)
  const marks = states.map(markOf)
  // Base64 has several texts for the same bytes, and JSON for the same value: only our own is one.
  if (token !== resumeTokenOf(of, marks)) throw noToken()
  return of === stream ? marks : undefined
}

function parsed(text: string): readonly [string, readonly unknown[]] {
  let json: unknown
  try {
    json = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    throw noToken()
  }
  if (!Array.isArray(json) || typeof json[0] !== 'string' || !Array.isArray(json[1]) || json[1].length > 3)
    throw noToken()
  return [json[0], json[1]]
}

function markOf(state: unknown): ListMark | null {
  if (state === null) return null
  const [version, digest] = Array.isArray(state) ? state : []
  if (typeof version !== 'string' || typeof digest !== 'string') throw noToken()
  if (!MARK_VERSION.test(version) || !MARK_DIGEST.test(digest)) throw noToken()
  return { version, digest }
}

const noToken = () =>
  invalidFields([
    { field: 'resumeToken', description: 'is no token of a stream: leave it empty to start over' },
  ])
