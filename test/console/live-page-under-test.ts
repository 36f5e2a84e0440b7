import { LivePage } from '../../console/live/live-page.js'
import type { Change, RowChange, Source } from '../../console/live/source.js'
import { settled, TestClock } from './test-clock.js'
import { TestStream } from './test-stream.js'

/** A row of the lists under test. */
export interface Item {
  readonly name: string
  readonly state: string
  readonly version?: string
}

/** A server with a list and a watch of it, as the management API behaves. */
export class TestServer implements Source<Item> {
  items: Item[] = []
  lists = 0
  #listing: Promise<void> = Promise.resolve()
  /** What its list fails with. */
  listFails: Error | boolean | undefined = false
  readonly resumed: string[] = []
  keyOf = ({ name }: Item) => name

  readonly asked: number[] = []
  /** What refuses a watch. */
  refusal: Error | undefined
  /** What refuses its stream of changes alone. */
  changesRefusal: Error | undefined
  /** How often that was begun. */
  followed = 0
  #watch: TestStream<Change<Item>> | undefined
  #changes: TestStream<RowChange> | undefined

  async list({ page, pageSize }: { page: number; pageSize: number }, signal: AbortSignal) {
    this.lists += 1
    this.asked.push(page)
    const items = this.items.slice((page - 1) * pageSize, page * pageSize)
    const total = this.items.length
    await this.#listing
    signal.throwIfAborted()
    if (this.listFails) throw this.listFails === true ? new Error('the list failed') : this.listFails
    return { items, total }
  }

  /** From now on pages are on their way, with what is there when each is asked for. @returns what has them arrive */
  holdPages(): () => void {
    let arrive: () => void = () => undefined
    this.#listing = new Promise(resolve => {
      arrive = resolve
    })
    return arrive
  }

  async *changes(signal: AbortSignal): AsyncGenerator<RowChange> {
    this.followed += 1
    if (this.changesRefusal) throw this.changesRefusal
    const stream = new TestStream<RowChange>(signal)
    this.#changes = stream
    stream.send({ type: 'START' })
    yield* stream
  }

  /** A change that the stream of changes alone tells. */
  tell(change: RowChange | Error): void {
    if (change instanceof Error) this.#changes?.break(change)
    else this.#changes?.send(change)
  }

  async *watch(resumeToken: string, signal: AbortSignal): AsyncGenerator<Change<Item>> {
    this.resumed.push(resumeToken)
    if (this.refusal) throw this.refusal
    const stream = new TestStream<Change<Item>>(signal)
    this.#watch = stream
    if (resumeToken === '') stream.send(this.#sent('RESET'))
    stream.send(this.#sent('BOOKMARK', undefined, 't1'))
    yield* stream
  }

  /** A change of the list, which its watch sends. */
  change(type: Change<Item>['type'], item: Item, resumeToken = 't2'): void {
    this.#watch?.send(this.#sent(type, item, resumeToken))
  }

  break(): void {
    this.#watch?.break()
  }

  #sent(type: Change<Item>['type'], item?: Item, resumeToken = ''): Change<Item> {
    return { type, total: this.items.length, resumeToken, ...(item && { item }) }
  }
}

export const north = { name: 'north', state: 'ready' }
export const south = { name: 'south', state: 'ready' }
export const west = { name: 'west', state: 'ready' }

/** A live page of two rows over a server that has three, after it has read them. */
export async function startedPage() {
  const clock = new TestClock()
  const server = new TestServer()
  server.items = [north, south, west]
  const live = new LivePage(server, clock, 2)
  live.start()
  await settled()
  return { clock, server, live }
}
