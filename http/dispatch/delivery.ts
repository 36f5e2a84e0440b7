import type { AnswerAccount } from '../limits/answer-memory.js'

/** An answer that was made of large lists is to be taken within this, milliseconds: it holds memory that others wait for. */
const DELIVERY_MS = 60_000

/** The way of an answer to its caller. */
export interface Delivery {
  /** Calls back once the answer was taken, or its connection has ended; at once where it has. */
  whenOver(then: () => void): void
  /** Ends an answer that is not taken. */
  cut(): void
}

/** Holds what was read until the answer was sent, or is taken too slowly. */
export function closeWhenDelivered(answers: AnswerAccount, delivery: Delivery | undefined): void {
  if (!delivery || !answers.isCounted) {
    answers.close()
    return
  }
  const slow = setTimeout(() => delivery.cut(), DELIVERY_MS)
  slow.unref()
  delivery.whenOver(() => {
    clearTimeout(slow)
    answers.close()
  })
}
