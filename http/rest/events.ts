import type { Message } from '@bufbuild/protobuf'
import { StatusSchema } from '../../proto/gen/google/rpc/status_pb.js'
import { statusOf } from '../errors/status.js'
import { toFailure } from '../errors/to-failure.js'
import type { Operation } from '../operation/operation.js'
import { jsonOf } from './json.js'

/** A comment is sent after this long without a message, so that proxies and clients know the stream lives. */
const HEARTBEAT_MS = 15_000

/**
 * A stream's messages as Server-Sent Events: `data` is the message's JSON, `id` its resume token where it has one, comments
 * are heartbeats. The last event is `end` and holds the google.rpc.Status that ended the stream (code 0 when it
 * was complete). The reader sets the pace: a message is fetched when the reader wants one, so that a slow reader has none waiting here.
 */
export function eventsOf(
  operation: Operation,
  messages: AsyncIterator<Message>,
  requestId: string,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let heartbeat: NodeJS.Timeout | undefined
  let over = false
  const close = () => {
    over = true
    clearInterval(heartbeat)
  }
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        heartbeat = setInterval(() => {
          // Something that waits means the reader is slow, not that the line is quiet.
          if (!over && (controller.desiredSize ?? -1) >= 0) controller.enqueue(encoder.encode(': alive\n\n'))
        }, HEARTBEAT_MS)
        heartbeat.unref()
      },
      async pull(controller) {
        const chunk = await nextEvent(operation, messages, requestId)
        if (over) return
        controller.enqueue(encoder.encode(chunk.text))
        if (!chunk.last) return
        close()
        controller.close()
      },
      async cancel() {
        close()
        await messages.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

interface Chunk {
  readonly text: string
  readonly last: boolean
}

async function nextEvent(
  operation: Operation,
  messages: AsyncIterator<Message>,
  requestId: string,
): Promise<Chunk> {
  try {
    const step = await messages.next()
    if (step.done) return { text: 'event: end\ndata: {"code":0,"message":"","details":[]}\n\n', last: true }
    const token = 'resumeToken' in step.value ? step.value.resumeToken : ''
    const id = typeof token === 'string' && token !== '' ? `id: ${token}\n` : ''
    return { text: `${id}data: ${jsonOf(operation.method.output, step.value)}\n\n`, last: false }
  } catch (error) {
    const status = statusOf(toFailure(error), requestId)
    return { text: `event: end\ndata: ${jsonOf(StatusSchema, status)}\n\n`, last: true }
  }
}
