import type { Call } from '../../call/call.js'
import { someAtOnce } from '../concurrency/some-at-once.js'

/** How many reviews are under way at once for one caller's list. */
const REVIEWS_AT_ONCE = 16

/** Those instances that the caller may see, in the order given. @throws what a review throws */
export async function seenBy<Named extends { readonly name: string }>(
  call: Pick<Call, 'maySee'>,
  all: readonly Named[],
): Promise<readonly Named[]> {
  const seen = await someAtOnce(all, REVIEWS_AT_ONCE, ({ name }) => call.maySee(name))
  return all.filter((_, index) => seen[index])
}
