import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { HangWatch } from '../../../../http/proxy/circuit/hang-watch.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A watch on virtual time, and what it had checked at which second. */
function watch(check: () => Promise<void> = async () => undefined) {
  const checked: string[] = []
  const started = Date.now()
  const subject = new HangWatch(Date.now, paths => {
    checked.push(`${(Date.now() - started) / 1_000} s: ${paths.join()}`)
    return check()
  })
  const request = (path: string) => {
    const given: string[] = []
    const waiting = { path, giveUp: (error: Error) => given.push(error.message) }
    const place = subject.add(waiting)
    return { over: () => place.leave(), given }
  }
  return { subject, checked, request }
}

describe('a watch for servers that hang', () => {
  it('checks a request after two seconds, and again after twice the time', async () => {
    const { checked, request } = watch()
    request('/a')
    await vi.advanceTimersByTimeAsync(31_000)
    expect(checked).toEqual(['2 s: /a', '6 s: /a', '14 s: /a', '30 s: /a'])
  })

  it('does not check an answered request, and needs no timer without requests', async () => {
    const { checked, request } = watch()
    request('/a').over()
    await vi.advanceTimersByTimeAsync(10_000)
    expect([checked, vi.getTimerCount()]).toEqual([[], 0])
  })

  it('checks concurrent requests together, one server after another', async () => {
    let finish: () => void = () => undefined
    const { checked, request } = watch(
      () =>
        new Promise(resolve => {
          finish = resolve
        }),
    )
    request('/a')
    request('/b')
    await vi.advanceTimersByTimeAsync(2_000)
    request('/c')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(checked).toEqual(['2 s: /a,/b'])
    finish()
    await vi.advanceTimersByTimeAsync(500)
    expect(checked).toEqual(['2 s: /a,/b', '12.5 s: /a,/b,/c'])
  })

  it('fails hopeless requests once', () => {
    const { subject, request } = watch()
    const [a, b] = [request('/a'), request('/b')]
    for (let time = 0; time < 2; time++)
      subject.giveUp(
        path => path === '/a',
        () => new Error('hopeless'),
      )
    expect([a.given, b.given]).toEqual([['hopeless'], []])
  })

  it('does not count the time in which this process was frozen', async () => {
    const { checked, request } = watch()
    request('/a')
    await vi.advanceTimersByTimeAsync(500)
    // The timers of these seconds are late: nothing ran.
    vi.setSystemTime(Date.now() + 60_000)
    await vi.advanceTimersByTimeAsync(500)
    expect(checked).toEqual([])
    await vi.advanceTimersByTimeAsync(1_500)
    expect(checked).toHaveLength(1)
  })
})
