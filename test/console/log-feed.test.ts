import { describe, expect, it } from 'vitest'
import { GAP_MS, LATE_MS, LogFeed } from '../../console/logs/log-feed.js'
import { LogLines } from '../../console/logs/log-lines.js'
import {
  type StreamWorkloadLogsResponse,
  StreamWorkloadLogsResponse_Type as Type,
} from '../../proto/gen/kairship/workload_pods_pb.js'
import { settled, TestClock } from './test-clock.js'
import { TestStream } from './test-stream.js'

const message = (part: Partial<Message>): Message => ({
  type: Type.LINE,
  cluster: 'north',
  pod: 'web-0',
  container: 'web',
  time: '',
  text: '',
  truncated: false,
  message: '',
  ...part,
})
type Message = Omit<StreamWorkloadLogsResponse, '$typeName' | '$unknown'>

const second = (n: number, digits = '000000000') => `2026-11-24T10:00:0${n}.${digits}Z`

function started(follow = true) {
  const clock = new TestClock()
  const streams: (TestStream<Message> & { since: string | undefined })[] = []
  const feed = new LogFeed(
    (since, signal) => {
      const stream = Object.assign(new TestStream<Message>(signal), { since })
      streams.push(stream)
      return stream
    },
    { follow, isFinal: error => error.message === 'forbidden', time: clock },
  )
  feed.start()
  return { feed, clock, streams }
}

describe('the feed of a log', () => {
  it('shows lines and notices a frame after they came, and has state `following`', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.send(message({ time: second(1), text: 'one' }))
    streams[0]?.send(message({ type: Type.FOLLOWING, cluster: '', pod: '', container: '' }))
    streams[0]?.send(message({ type: Type.UNREAD, pod: '', container: '', message: 'is away' }))
    await settled()
    expect(feed.view().rows).toEqual([])
    await clock.pass(100)
    expect(feed.view()).toMatchObject({
      state: 'following',
      rows: [
        { kind: 'line', text: 'one' },
        { kind: 'unread', text: 'is away', cluster: 'north' },
      ],
    })
  })

  it('resumes after a broken stream with the lines since the newest, without repeating lines', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.send(message({ time: second(1, '5'), text: 'one' }))
    streams[0]?.send(message({ time: second(1, '51'), text: 'two' }))
    await settled()
    streams[0]?.break(new Error('cut'))
    await settled()
    await clock.pass(100)
    expect(feed.view()).toMatchObject({ state: 'broken', problem: { message: 'cut' } })
    await clock.pass(1_000)
    await settled()
    expect(streams[1]?.since).toBe(second(1, '51'))
    streams[1]?.send(message({ time: second(1, '5'), text: 'one' }))
    streams[1]?.send(message({ time: second(1, '51'), text: 'two' }))
    streams[1]?.send(message({ time: second(1, '6'), text: 'three' }))
    await settled()
    await clock.pass(100)
    expect(feed.view().rows.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    expect(feed.view().problem).toBeUndefined()
  })

  it('resumes after a broken stream with the lines since the container that is furthest behind', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.send(message({ pod: 'web-0', time: second(1), text: 'of a slow member' }))
    streams[0]?.send(message({ pod: 'web-1', time: second(5), text: 'five' }))
    await settled()
    streams[0]?.break(new Error('cut'))
    await clock.pass(1_000)
    expect(streams[1]?.since).toBe(second(1))
    streams[1]?.send(message({ pod: 'web-0', time: second(2), text: 'two, which was on its way' }))
    streams[1]?.send(message({ pod: 'web-1', time: second(5), text: 'five' }))
    await clock.pass(100)
    expect(feed.view().rows.map(({ text }) => text)).toEqual([
      'of a slow member',
      'five',
      'two, which was on its way',
    ])
  })

  it('reads at most one minute again when a container has written nothing for long', async () => {
    const { clock, streams } = started()
    streams[0]?.send(message({ pod: 'quiet', time: '2026-11-01T00:00:00Z' }))
    streams[0]?.send(message({ pod: 'web-0', time: '2026-11-24T10:01:30.123456789Z' }))
    await settled()
    streams[0]?.break(new Error('cut'))
    await clock.pass(1_000)
    expect(streams[1]?.since).toBe(new Date(Date.parse('2026-11-24T10:01:30.123Z') - LATE_MS).toISOString())
  })

  it.each<[string, number, readonly string[]]>([
    ['for a while', GAP_MS, ['line', 'gap', 'line']],
    ['for a moment', GAP_MS - 1, ['line', 'line']],
  ])('has a row for a gap when it was not read %s', async (_how, ms, kinds) => {
    const { feed, clock, streams } = started()
    streams[0]?.send(message({ time: second(1), text: 'one' }))
    await settled()
    feed.stop()
    await clock.pass(ms)
    feed.start()
    streams[1]?.send(message({ time: second(2), text: 'two' }))
    await clock.pass(100)
    expect(feed.view().rows.map(({ kind }) => kind)).toEqual(kinds)
  })

  it('has one such row after the server was away for a while, and none in a log of which nothing was read', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.break(new Error('away'))
    await clock.pass(60_000)
    streams.at(-1)?.send(message({ time: second(1), text: 'one' }))
    await settled()
    const before = streams.length
    streams.at(-1)?.break(new Error('away'))
    for (let n = 0; n < 3; n += 1) {
      await clock.pass(60_000)
      streams.at(-1)?.break(new Error('away'))
    }
    await clock.pass(60_000)
    expect(streams.length).toBeGreaterThan(before + 2)
    streams.at(-1)?.send(message({ time: second(2), text: 'two' }))
    streams.at(-1)?.send(message({ time: second(3), text: 'three' }))
    await clock.pass(100)
    expect(feed.view().rows.map(({ kind, text }) => text || kind)).toEqual(['one', 'gap', 'two', 'three'])
  })

  it('says so where it was not read for a while in parts, between which nothing came', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.send(message({ time: second(1), text: 'one' }))
    await settled()
    for (let n = 0; n < 3; n += 1) {
      streams.at(-1)?.break(new Error('away'))
      await clock.pass(GAP_MS / 2)
    }
    streams.at(-1)?.send(message({ time: second(2), text: 'two' }))
    await clock.pass(100)
    expect(feed.view().rows.map(({ kind }) => kind)).toEqual(['line', 'gap', 'line'])
  })

  it('keeps lines without a time, and goes on after the last that has one', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.send(message({ time: second(1), text: 'one' }))
    streams[0]?.send(message({ text: 'no time' }))
    streams[0]?.send(message({ pod: 'web-1', text: 'of another' }))
    await settled()
    streams[0]?.break(new Error('cut'))
    await clock.pass(1_000)
    expect(streams[1]?.since).toBe(second(1))
    streams[1]?.send(message({ time: second(1), text: 'one' }))
    streams[1]?.send(message({ time: second(2), text: 'two' }))
    await clock.pass(100)
    expect(feed.view().rows.map(({ text }) => text)).toEqual(['one', 'no time', 'of another', 'two'])
  })

  it('knows the lines of each container of each pod in each member by themselves', async () => {
    const places = [{}, { cluster: 'south' }, { pod: 'web-1' }, { container: 'proxy' }]
    const { feed, clock, streams } = started()
    for (const [n, place] of places.entries()) streams[0]?.send(message({ ...place, time: second(n) }))
    await settled()
    streams[0]?.break(new Error('cut'))
    await clock.pass(1_000)
    for (const [n, place] of places.entries())
      streams[1]?.send(message({ ...place, time: second(n, '1'), text: `after ${n}` }))
    await clock.pass(100)
    expect(feed.view().rows.map(({ text }) => text)).toEqual([
      '',
      '',
      '',
      '',
      ...places.map((_, n) => `after ${n}`),
    ])
  })

  it('says that a container has joined, and that one has ended', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.send(message({ type: Type.JOINED }))
    streams[0]?.send(message({ type: Type.ENDED, message: 'exit code 1' }))
    await clock.pass(100)
    expect(feed.view().rows).toMatchObject([
      { kind: 'joined', pod: 'web-0', text: '' },
      { kind: 'ended', pod: 'web-0', text: 'exit code 1' },
    ])
  })

  it('shows nothing any more at once where it is cleared, and nothing to one who has left', async () => {
    const { feed, clock, streams } = started()
    let [shown, shownToGone] = [0, 0]
    feed.subscribe(() => {
      shown += 1
    })
    const leave = feed.subscribe(() => {
      shownToGone += 1
    })
    streams[0]?.send(message({ time: second(1), text: 'one' }))
    await clock.pass(100)
    leave()
    feed.clear()
    expect([feed.view().rows, shown, shownToGone]).toEqual([[], 2, 1])
  })

  it('keeps two lines of one stream with the same time', async () => {
    const { feed, clock, streams } = started()
    for (const text of ['one', 'two']) streams[0]?.send(message({ time: second(1), text }))
    await settled()
    await clock.pass(100)
    expect(feed.view().rows).toHaveLength(2)
  })

  it('does not retry after a refusal', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.break(new Error('forbidden'))
    await settled()
    await clock.pass(100_000)
    await settled()
    expect(streams).toHaveLength(1)
    expect(feed.view()).toMatchObject({ state: 'refused', problem: { message: 'forbidden' } })
  })

  it('waits one second after the first failure since a stream with messages', async () => {
    const { clock, streams } = started()
    for (let n = 0; n < 4; n += 1) {
      streams[n]?.send(message({ time: second(n), text: 'line' }))
      await settled()
      streams[n]?.break(new Error('cut'))
      await clock.pass(1_000)
    }
    expect(streams).toHaveLength(5)
  })

  it('ignores messages after `stop`, and leaves no timer', async () => {
    const { feed, clock, streams } = started()
    let shown = 0
    streams[0]?.send(message({ time: second(1), text: 'one' }))
    await settled()
    feed.subscribe(() => {
      shown += 1
    })
    feed.stop()
    await clock.pass(60_000)
    expect([shown, clock.timers]).toEqual([1, 0])
  })

  it('leaves no timer when it is stopped between two streams', async () => {
    const { feed, clock, streams } = started()
    streams[0]?.break(new Error('cut'))
    await clock.pass(200)
    feed.stop()
    await settled()
    expect([clock.timers, streams.length]).toEqual([0, 1])
  })

  it('ignores lines of a stopped stream', async () => {
    const clock = new TestClock()
    let goOn: () => void = () => undefined
    const left = new Promise<void>(resolve => {
      goOn = resolve
    })
    const opened: (string | undefined)[] = []
    const feed = new LogFeed(
      async function* (since) {
        opened.push(since)
        if (opened.length > 1) return yield message({ time: second(2), text: 'two' })
        yield message({ time: second(1), text: 'one' })
        await left
        yield message({ time: second(2), text: 'two' })
      },
      { follow: true, isFinal: () => false, time: clock },
    )
    feed.start()
    await settled()
    feed.stop()
    feed.start()
    goOn()
    await clock.pass(500)
    expect(opened).toEqual([undefined, second(1)])
    expect(feed.view().rows.map(({ text }) => text)).toEqual(['one', 'two'])
  })

  it('is not read again after it is complete', async () => {
    const { feed, streams } = started(false)
    streams[0]?.end()
    await settled()
    feed.stop()
    feed.start()
    await settled()
    expect([streams.length, feed.view().state]).toEqual([1, 'ended'])
  })

  it('is complete at the end of a stream that does not follow', async () => {
    const { feed, clock, streams } = started(false)
    streams[0]?.end()
    await settled()
    await clock.pass(100)
    expect(feed.view().state).toBe('ended')
  })
})

describe('the lines of a log', () => {
  const line = (text: string) => ({
    kind: 'line' as const,
    cluster: '',
    pod: '',
    container: '',
    time: '',
    text,
    truncated: false,
  })

  it('are dropped beyond a number, the oldest first, and counted', () => {
    const lines = new LogLines(3, 1_000)
    for (let n = 0; n < 10; n += 1) lines.add(line(String(n)))
    expect(lines.rows().map(({ text }) => text)).toEqual(['7', '8', '9'])
    expect(lines.dropped).toBe(7)
  })

  it('are dropped beyond a size, except the last one', () => {
    const lines = new LogLines(10, 8)
    for (const text of ['12345', '678', '9', 'x'.repeat(100)]) lines.add(line(text))
    expect(lines.rows().map(({ text }) => text.length)).toEqual([100])
  })

  it('are dropped for their size from the oldest on, and no more of them than need be', () => {
    const lines = new LogLines(10, 8)
    for (const text of ['123', '456', '78', '9', '0']) lines.add(line(text))
    expect(lines.rows().map(({ text }) => text)).toEqual(['456', '78', '9', '0'])
  })

  it('have the room of the forgotten ones', () => {
    const lines = new LogLines(2, 8)
    for (const text of ['1', '2', '3', '45678']) lines.add(line(text))
    lines.clear()
    for (const text of ['1234', '5678']) lines.add(line(text))
    expect([lines.rows().map(({ text }) => text), lines.dropped]).toEqual([['1234', '5678'], 0])
  })

  it('are counted from 0 after `clear`', () => {
    const lines = new LogLines(1, 1_000)
    for (const text of ['1', '2', '3']) lines.add(line(text))
    lines.clear()
    expect([lines.rows(), lines.dropped]).toEqual([[], 0])
    lines.add(line('4'))
    expect([lines.rows().map(({ id, text }) => [id, text]), lines.dropped]).toEqual([[[3, '4']], 0])
  })

  it('have no colours and cursor movements of terminals', () => {
    const lines = new LogLines()
    lines.add(line('\x1b[31mred\x1b[0m \x1b]0;title\x07plain\x1b[2K'))
    expect(lines.rows()[0]?.text).toBe('red plain')
  })
})
