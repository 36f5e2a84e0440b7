/** A chunk could not be loaded: the server is away, or was updated after the page was loaded and has other files. */
export class ChunkLoadError extends Error {
  override readonly name = 'ChunkLoadError'

  constructor(cause: unknown) {
    super(`a part of the page was not loaded: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    })
  }
}

/** Loads a chunk of the console. @throws ChunkLoadError */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw new ChunkLoadError(cause)
  }
}
