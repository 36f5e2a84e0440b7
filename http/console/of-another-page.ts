import { type Failure, permissionDenied } from '../errors/failure.js'

/** The refusal of a request that the console's own page has not made. A browser adds its session to none but those. */
export const ofAnotherPage = (): Failure =>
  permissionDenied('only the console’s own page has sessions: programs send `Authorization: Bearer <token>`')
