/** What Node warns of while something is done, such as more listeners than it takes for sane. */
export async function warnedDuring(work: () => Promise<void>): Promise<string[]> {
  const warned: string[] = []
  const hear = ({ message }: Error): void => void warned.push(message)
  process.on('warning', hear)
  try {
    await work()
    // Node warns a turn later.
    await new Promise(setImmediate)
  } finally {
    process.off('warning', hear)
  }
  return warned
}
