/** A piece of a line: a match, or the text between matches. */
export interface Piece {
  /** The offset of the piece. */
  readonly at: number
  readonly text: string
  readonly isMatch: boolean
}

/** The most matches of a line that are highlighted: a line of 64 KiB may match a letter as often, and each highlight is an element. */
const MOST_MARKS = 200

/** Splits a line into matches and the text between. The case is ignored. */
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
