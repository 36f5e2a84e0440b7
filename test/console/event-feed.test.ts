import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { beforeEach, describe, expect, it } from 'vitest'
import { ApiError } from '../../client/errors.js'
import { EventFeed } from '../../console/events/event-feed.js'
import {
  WatchFleetObjectsResponse_Type as Type,
  type WatchFleetObjectsResponse,
  WatchFleetObjectsResponseSchema,
} from '../../proto/gen/kairship/fleet_pb.js'
import { Code } from '../../transcoding/code.js'
import { settled, TestClock } from './test-clock.js'
import { TestStream } from './test-stream.js'

let clock: TestClock
let streams: TestStream<WatchFleetObjectsResponse>[]
let feed: EventFeed
let drawn: number

beforeEach(() => {
  clock = new TestClock()
  streams = []
  feed = new EventFeed(
    signal => {
      const stream = new TestStream<WatchFleetObjectsResponse>(signal)
      streams.push(stream)
      return stream
    },
    clock,
    3,
  )
  drawn = 0
  feed.subscribe(() => {
    drawn += 1
  })
  feed.start()
})

const send = (message: MessageInitShape<typeof WatchFleetObjectsResponseSchema>) =>
  streams.at(-1)?.send(create(WatchFleetObjectsResponseSchema, message))

function event(name: string, seconds: number, more: object = {}, type = Type.ADDED) {
  const time = `2026-11-24T10:00:${String(seconds).padStart(2, '0')}Z`
  const object = { kind: 'Deployment', namespace: 'shop', name: 'web' }
  const data = { type: 'Normal', reason: name, lastTimestamp: time, involvedObject: object, ...more }
  send({
    type,
    total: 9,
    object: { instance: 'eu', metadata: { name, namespace: 'shop' }, data: JSON.stringify(data) },
  })
}

describe('the feed of the fleet’s events', () => {
  it('keeps the newest events, the newest first, and calls subscribers once a frame', async () => {
    // More than twice what is held, so that the oldest are dropped also between two frames.
    for (let n = 1; n <= 8; n += 1) event(`e${n}`, n)
    send({ type: Type.BOOKMARK, total: 8 })
    await clock.pass(250)
    expect(feed.view().events.map(({ reason }) => reason)).toEqual(['e8', 'e7', 'e6'])
    expect(feed.view()).toMatchObject({ state: 'live', total: 8 })
    expect(drawn).toBe(1)
  })

  it('keeps at most twice as many between two frames', async () => {
    for (let n = 1; n <= 7; n += 1) event(`e${n}`, n)
    // The newest go again: what is left is what was held beside them.
    for (const n of [5, 6, 7]) event(`e${n}`, n, {}, Type.DELETED)
    await clock.pass(250)
    expect(feed.view().events).toEqual([])
    expect(drawn).toBe(1)
  })

  it('shows an event that happens again once, with its count and its last time', async () => {
    event('again', 1)
    event('other', 2)
    event('again', 3, { count: 7, type: 'Warning' }, Type.MODIFIED)
    await clock.pass(250)
    expect(feed.view().events).toMatchObject([
      { reason: 'again', count: 7, isWarning: true, object: 'Deployment shop/web' },
      { reason: 'other' },
    ])
  })

  it('lists the places that cannot be read, until they can', async () => {
    const place = { instance: 'eu', cluster: 'north' }
    send({ type: Type.PLACE_FAILED, place: { ...place, error: { message: 'is away' } } })
    await clock.pass(250)
    expect(feed.view().unread).toEqual(['eu · north: is away'])
    send({ type: Type.PLACE_READ, place })
    await clock.pass(250)
    expect(feed.view().unread).toEqual([])
  })

  it('drops an event that is deleted, and one that no longer matches the filter', async () => {
    event('one', 1)
    event('two', 2)
    event('three', 3)
    event('one', 1, {}, Type.DELETED)
    event('two', 2, {}, Type.LEFT)
    await clock.pass(250)
    expect(feed.view().events.map(({ reason }) => reason)).toEqual(['three'])
  })

  it('keeps events of a control plane when its member is read again', async () => {
    event('one', 1)
    send({ type: Type.RESET, place: { instance: 'eu', cluster: 'north' } })
    await clock.pass(250)
    expect(feed.view().events.map(({ reason }) => reason)).toEqual(['one'])
  })

  it('drops the events of a removed place, and all when the stream starts over', async () => {
    event('one', 1)
    send({ type: Type.PLACE_GONE, place: { instance: 'eu' } })
    event('two', 2)
    await clock.pass(250)
    expect(feed.view().events.map(({ reason }) => reason)).toEqual(['two'])
    streams[0]?.break()
    await clock.pass(1_250)
    send({ type: Type.RESET })
    await clock.pass(250)
    expect(feed.view().events).toEqual([])
  })

  it('keeps its events while its stream is broken, and shows the reason', async () => {
    event('one', 1)
    send({ type: Type.BOOKMARK, total: 1 })
    await clock.pass(250)
    streams[0]?.break(new Error('cut'))
    await clock.pass(250)
    expect(feed.view()).toMatchObject({
      state: 'stale',
      problem: { message: 'cut' },
      events: [{ reason: 'one' }],
    })
  })

  it('retries a denied stream once a minute', async () => {
    streams[0]?.break(new ApiError(Code.PERMISSION_DENIED, 'events is forbidden'))
    await clock.pass(59_000)
    expect(streams).toHaveLength(1)
    expect(feed.view()).toMatchObject({ state: 'loading', problem: { message: 'events is forbidden' } })
    await clock.pass(1_000)
    expect(streams).toHaveLength(2)
  })

  it('accepts an event without content', async () => {
    send({ type: Type.ADDED, object: { instance: 'eu', metadata: { name: 'odd' }, data: 'null' } })
    send({
      type: Type.ADDED,
      object: { instance: 'eu', metadata: { name: 'odder' }, data: '{"message":{"a":1},"count":"x"}' },
    })
    await clock.pass(250)
    await settled()
    expect(feed.view().events).toMatchObject([{ message: '' }, { message: '', count: 1 }])
  })
})
