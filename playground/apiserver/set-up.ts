/** Sets a server up that has just started. When that fails the server closes: an open port would keep the process alive. */
export async function setUp<T>(server: { close(): Promise<void> }, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await server.close()
    throw error
  }
}
