/** A piece of a line: what was searched for, or what is between. */
export interface Piece {
  /** Characters before it. */
  readonly at: number
  readonly text: string
  readonly isMatch: boolean
}

/** Matches of one line that are marked: a line of 64 KiB has as many of one letter, and each mark is an element of the page. */
const MOST_MARKS = 200

/** A line in pieces, so that what was searched for can be marked in it, in upper or lower case. */
export function piecesOf(text: string, find: string, most = MOST_MARKS): readonly Piece[] {
  if (find === '') return [{ at: 0, text, isMatch: false }]
  const pieces: Piece[] = []
  let [at, marks] = [0, 0]
  for (const { index, 0: match } of text.matchAll(
    new RegExp(find.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), 'gi'),
  )) {
    if (marks >= most) break
    marks += 1
    if (index > at) pieces.push({ at, text: text.slice(at, index), isMatch: false })
    pieces.push({ at: index, text: match, isMatch: true })
    at = index + match.length
  }
  if (at < text.length) pieces.push({ at, text: text.slice(at), isMatch: false })
  return pieces
}
