import type { MessageInitShape } from '@bufbuild/protobuf'
import type {
  WatchAuditEventsRequest,
  WatchAuditEventsResponseSchema,
} from '../../../proto/gen/kairship/audit_pb.js'
import { ListChange_Type as Type } from '../../../proto/gen/kairship/types_pb.js'
import type { RecentEvents } from '../../audit/recent-events.js'
import type { Call } from '../../call/call.js'
import { invalidFields } from '../../errors/failure.js'
import { streamDigest } from '../kind/resume-token.js'
import { isChosenBy } from './audit-filter.js'
import { auditMessageOf } from './audit-message.js'
import { seenEvents } from './seen-events.js'

type Message = MessageInitShape<typeof WatchAuditEventsResponseSchema>

/** So many events are read together. A reader that is slow holds no more of those that were forgotten meanwhile. */
const AT_ONCE = 500

/** No stream sends so many, and the totals after it are still those of an int32. */
const MOST_SENT = 2 ** 30

/** What a reader has received. */
interface Position {
  /** Of the last event that was sent, or a time up to which all were. */
  readonly place: number
  /** How many it was sent since the last RESET. */
  readonly total: number
}

/** Before all events that are kept: some are older than others that were forgotten. */
const BEGINNING: Position = { place: 0, total: 0 }

/**
 * The events that a request chooses and its caller may see at their time, those that are kept first.
 * @throws Failure INVALID_ARGUMENT for a filter that cannot be and for what is no token
 */
export async function* watchAuditEvents(
  events: RecentEvents,
  request: WatchAuditEventsRequest,
  call: Call,
): AsyncGenerator<Message, void> {
  const isChosen = isChosenBy(request)
  const stream = streamDigest(['audit events', events.epoch, request, call.caller.user])
  const given = positionIn(request.resumeToken, stream)
  const goesOn = given !== undefined && given.place >= events.forgotten
  let { place, total } = goesOn ? given : BEGINNING
  let isBegun = goesOn
  const resumeToken = () => (isBegun ? tokenOf(stream, { place, total }) : '')
  yield { type: goesOn ? Type.BOOKMARK : Type.RESET, total, resumeToken: resumeToken() }
  for (;;) {
    if (isBegun && place < events.forgotten) {
      isBegun = false
      ;({ place, total } = BEGINNING)
      yield { type: Type.RESET, total, resumeToken: '' }
    }
    const passed = events.passed()
    const read = events.after(place, AT_ONCE)
    for (const placed of await seenEvents(events, call, read.filter(isChosen))) {
      place = placed.place
      total += 1
      yield { type: Type.ADDED, event: auditMessageOf(placed), total, resumeToken: resumeToken() }
    }
    if (read.length === AT_ONCE) {
      place = read.at(-1)?.place ?? place
      continue
    }
    place = passed
    if (!isBegun) {
      isBegun = true
      yield { type: Type.BOOKMARK, total, resumeToken: resumeToken() }
    }
    await events.untilAfter(place, call.signal)
  }
}

/** It is no secret and gives no right: everything is read and checked as the caller who sends it. */
const tokenOf = (stream: string, { place, total }: Position): string =>
  `audit1.${stream}.${place.toString(36)}.${total.toString(36)}`

const TOKEN = /^audit1\.([A-Za-z0-9_-]{22})\.([0-9a-z]{1,10})\.([0-9a-z]{1,6})$/

/** Undefined for none, and for a token of another stream, with which the stream starts over. @throws Failure INVALID_ARGUMENT for what is no token */
function positionIn(token: string, stream: string): Position | undefined {
  if (token === '') return undefined
  const [, of, place = '', sent = ''] = TOKEN.exec(token) ?? []
  const total = Number.parseInt(sent, 36)
  if (!of || total > MOST_SENT)
    throw invalidFields([
      { field: 'resumeToken', description: 'is no token of a stream: leave it empty to start over' },
    ])
  return of === stream ? { place: Number.parseInt(place, 36), total } : undefined
}
