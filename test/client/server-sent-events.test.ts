import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ServerSentEvent, serverSentEvents } from '../../client/server-sent-events.js'

async function read(...chunks: Uint8Array[]): Promise<ServerSentEvent[]> {
  const found: ServerSentEvent[] = []
  async function* source() {
    yield* chunks
  }
  for await (const event of serverSentEvents(source())) found.push(event)
  return found
}
const bytes = (text: string) => new TextEncoder().encode(text)

describe('an event stream', () => {
  const rows: [what: string, text: string, events: ServerSentEvent[]][] = [
    [
      'yields an event at each blank line',
      'data: a\n\ndata: b\n\n',
      [
        { event: 'message', data: 'a' },
        { event: 'message', data: 'b' },
      ],
    ],
    ['joins data lines', 'data: a\ndata: b\n\n', [{ event: 'message', data: 'a\nb' }]],
    [
      'names an event once',
      'event: error\ndata: a\n\ndata: b\n\n',
      [
        { event: 'error', data: 'a' },
        { event: 'message', data: 'b' },
      ],
    ],
    [
      'skips comments, ids and unknown fields',
      ': keep-alive\n\nid: 7\nretry: 3\nx: y\ndata: a\n\n',
      [{ event: 'message', data: 'a' }],
    ],
    [
      'takes away one blank after the colon and no more',
      'data:  a\n\ndata:b\n\n',
      [
        { event: 'message', data: ' a' },
        { event: 'message', data: 'b' },
      ],
    ],
    ['drops an event that was cut off', 'data: a\n\ndata: b\n', [{ event: 'message', data: 'a' }]],
    ['knows an empty data line', 'data\n\n', [{ event: 'message', data: '' }]],
  ]
  for (const [what, text, events] of rows)
    for (const [name, end] of [
      ['LF', '\n'],
      ['CRLF', '\r\n'],
    ])
      it(`${what} (${name})`, async () => {
        expect(await read(bytes(text.replaceAll('\n', end!)))).toEqual(events)
      })

  it('is parsed the same for any chunk boundaries, also within a character or a CRLF', async () => {
    const text = 'event: ä\r\ndata: {"name":"zürich €"}\r\n\r\n:\r\ndata: b\r\ndata: c\r\n\r\n'
    const whole = await read(bytes(text))
    expect(whole).toHaveLength(2)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: bytes(text).length }), { maxLength: 12 }), async cuts => {
        const at = [0, ...cuts.sort((a, b) => a - b), bytes(text).length]
        const chunks = at.slice(1).map((end, index) => bytes(text).subarray(at[index], end))
        expect(await read(...chunks)).toEqual(whole)
      }),
    )
  })
})

it.each([
  ['a line', () => bytes('x'.repeat(1 << 20))],
  ['the data of an event', () => bytes(`data: ${'x'.repeat(1 << 20)}\n`)],
])('an event stream whose server does not end %s is given up', async (_, chunk) => {
  await expect(read(...Array.from({ length: 17 }, chunk))).rejects.toThrow(
    'the server sent an event of more than 16 MiB',
  )
})
