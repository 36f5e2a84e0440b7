import { type Marks, marksOf, resumeTokenOf } from './resume-token.js'

/** The state of a stream of rows that is derived from several lists. */
export interface RowPoint {
  /** Equal for equal rows: 16 hexadecimal digits. */
  readonly digest: string
  readonly marks: Marks
  /** Of the feed of instances, where the rows are made of that, too. */
  readonly position?: string
}

/** The tokens of one stream of rows. */
export class RowTokens {
  /** @param stream the digest of the request, as in other tokens */
  constructor(private readonly stream: string) {}

  /** Names a state: what the rows are made of, and by a digest the rows. */
  of({ digest, marks, position }: RowPoint): string {
    const rest = `${digest}.${resumeTokenOf(this.stream, marks)}`
    return position === undefined ? rest : `${position}.${rest}`
  }

  /** What a token names; undefined where the stream starts over. @throws Failure INVALID_ARGUMENT for what is no token */
  read(token: string): RowPoint | undefined {
    const [, position, digest, rest] = FORM.exec(token) ?? []
    const marks = marksOf(rest ?? token, this.stream)
    if (digest === undefined || !marks) return undefined
    return { digest, marks, ...(position !== undefined && { position }) }
  }
}

const FORM = /^(?:([0-9a-f]{1,16}\.[0-9]{1,16})\.)?([0-9a-f]{16})\.(.+)$/
