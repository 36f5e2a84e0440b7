import { badRequest } from '../api-status.js'

/** Where a paged list goes on: after which key, and as of which revision (-1: as of now, an inconsistent continuation). */
export interface ContinueToken {
  readonly revision: number
  readonly after: string
}

const FORMAT = 'meta.k8s.io/v1'

/** Opaque to clients; the fields are those of Kubernetes' own tokens. */
export const encodeContinue = ({ revision, after }: ContinueToken): string =>
  Buffer.from(JSON.stringify({ v: FORMAT, rv: revision, start: `${after}\u0000` })).toString('base64url')

/** @throws StatusError 400 for anything this server has not made */
export function decodeContinue(token: string): ContinueToken {
  let read: { v?: unknown; rv?: unknown; start?: unknown }
  try {
    read = JSON.parse(Buffer.from(token, 'base64url').toString('utf8')) as typeof read
  } catch {
    throw badRequest('invalid continue token: continue key is not valid: the token cannot be decoded')
  }
  if (read?.v !== FORMAT)
    throw badRequest(
      'invalid continue token: continue key is not valid: server does not recognize this encoded version',
    )
  if (typeof read.rv !== 'number' || typeof read.start !== 'string' || read.start === '') {
    throw badRequest(
      'invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)',
    )
  }
  return { revision: read.rv, after: read.start.replace(/\0$/, '') }
}
