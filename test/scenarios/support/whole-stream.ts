import type { DescService, JsonObject, JsonValue } from '@bufbuild/protobuf'
import { expect } from 'vitest'
import { eventually } from './eventually.js'
import type { Wires } from './wires.js'

const WIRES = ['rest', 'grpc'] as const

/** What a step says: its type, how many match after it, and the rest of it. */
export type Said = readonly [type: JsonValue | undefined, total: JsonValue | undefined, ...rest: unknown[]]

/** A stream over both wires, which must say the same. */
export interface WholeStream {
  /** Waits until so many steps have come, and returns what all that have come say. */
  said(count: number): Promise<readonly Said[]>
  /** The last token of each wire. */
  readonly tokens: readonly string[]
}

/**
 * Follows a stream over both wires while `work` runs. A BOOKMARK that says nothing new does not count: they come from time to time. Nor does a
 * MODIFIED that says the same as before of what a test looks at.
 * @param rest what a test looks at of a step beside its type and total
 */
export async function whileOpen<S extends DescService, T>(
  calls: Wires<S>,
  rpc: keyof S['method'] & string,
  request: JsonObject,
  rest: (step: JsonObject) => readonly unknown[],
  work: (stream: WholeStream) => Promise<T>,
): Promise<T> {
  const following = calls.follow(rpc, request)
  const counted = (wire: (typeof WIRES)[number]): Said[] => {
    const said: Said[] = []
    const last = new Map<string, string>()
    for (const step of following[wire].steps) {
      const { type, total } = step
      const what = rest(step)
      const [key, text] =
        type === 'BOOKMARK' ? ['', JSON.stringify(what)] : [JSON.stringify(what[0]), JSON.stringify(what)]
      const isNews = (type !== 'BOOKMARK' && type !== 'MODIFIED') || last.get(key) !== text
      last.set(key, text)
      if (isNews) said.push([type, total, ...what])
    }
    return said
  }
  const story = () => WIRES.map(wire => following[wire].text()).join('\n')
  try {
    return await work({
      async said(count) {
        await eventually(`${count} steps`, () => WIRES.every(wire => counted(wire).length >= count), {
          story,
        })
        const [ofRest = [], ofGrpc = []] = WIRES.map(counted)
        expect(ofGrpc.slice(0, count)).toEqual(ofRest.slice(0, count))
        return ofRest
      },
      get tokens() {
        return WIRES.map(
          wire => following[wire].steps.findLast(({ resumeToken }) => resumeToken)?.resumeToken as string,
        )
      },
    })
  } finally {
    for (const wire of WIRES) following[wire].close()
  }
}
