/** A piece of the page that did not come: its server is away, or was updated since the page was loaded and has other files. */
export class NotLoaded extends Error {
  override readonly name = 'NotLoaded'

  constructor(cause: unknown) {
    super(`a part of the page was not loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** Loads a piece of the page. @throws NotLoaded */
export async function piece<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new NotLoaded(cause)
  }
}
