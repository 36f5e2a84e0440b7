import type { AnswerAccount } from '../limits/answer-memory.js'

/** A caller must take an answer of large lists within this time, milliseconds: it holds memory that others wait for. */
const DELIVERY_MS = 60_000

/** The delivery of an answer to its caller. */
export interface Delivery {
  /** Calls back once the answer was taken or its connection has ended; at once where that was before. */
  whenOver(callback: () => void): void
  /** Ends an answer that is not taken. */
  cut(): void
}

/** Closes the account of a large answer when it was delivered. An answer that is taken too slowly is cut. */
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

/** A delivery whose end is reported by its sender, for connections that carry several answers. @returns also the function that reports it */
export function trackedDelivery(cut: () => void): {
  readonly delivery: Delivery
  readonly ended: () => void
} {
  let isOver = false
  const waiting: (() => void)[] = []
  return {
    delivery: {
      whenOver: callback => void (isOver ? callback() : waiting.push(callback)),
      cut,
    },
    ended() {
      isOver = true
      for (const callback of waiting) callback()
    },
  }
}
