import { type Failure, permissionDenied } from '../errors/failure.js'

/** The refusal of a request that the console's own page has not made. Only its own page has sessions. */
export const notOwnPage = (): Failure =>
  permissionDenied('only the console’s own page has sessions: programs send `Authorization: Bearer <token>`')
