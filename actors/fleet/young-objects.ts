import { AsyncResource } from 'node:async_hooks'
import { setFlagsFromString } from 'node:v8'

/**
 * Has V8 make every object in new space. Of a place in the code whose objects lived on while new space was full, at a start-up burst or while many
 * requests were under way, V8 makes all later objects in old space. These are garbage like others when their request is over, but nothing finds
 * that out until the whole heap is collected, and until then they keep what they refer to: each collection of new space takes the finished
 * requests for alive, moves them to old space, and sees itself confirmed. So a process that serves gets worse with its age, or is bad from the
 * start. Measured for gets through the proxy, V8 11.3: 8 KB of each request moved and pauses of 10 ms, without it 0.2 KB and 2 ms.
 *
 * V8 reads the flag at each decision. To be called before there is work, as decisions that were made are kept.
 */
export const allocateYoung = (): void => setFlagsFromString('--no-allocation-site-pretenuring')

/** Of a function, and of what `this` is in it where it is given. */
type Bind = (this: AsyncResource, fn: (...args: unknown[]) => unknown, thisArg?: unknown) => unknown

/**
 * Has Node.js bind functions to an AsyncResource without their deprecated property `asyncResource`, which nothing here reads. Its HTTP/2 client binds one for
 * each request. Node.js makes a getter and a setter for it and sets their prototypes, for which V8 makes maps in old space; these refer to the closures and so to the
 * request and all that it refers to. A collection of new space takes old space for alive, so it moved every finished request to old space: 4.8 KB of
 * a bare one, 7.2 KB of one of ours, which only a collection of the whole heap frees. Without it 0.3 and 3.0 KB (Node.js 20.20, docs/adr/0091-a-finished-request-is-freed-young.md).
 * Node.js 24 moves 4.4 KB of a bare one and 3.1 KB without it: something else keeps these, there and in Node.js 26.
 *
 * Without effect where Node.js makes no such property, as from 26. To be called before there is work.
 */
export function bindYoung(): void {
  if (!Object.hasOwn(new AsyncResource('bindYoung').bind(Object), 'asyncResource')) return
  const bind: Bind = function (fn, thisArg) {
    if (typeof fn !== 'function') throw new TypeError('The "fn" argument must be of type function')
    const run = (self: unknown, args: unknown[]): unknown => this.runInAsyncScope(fn, self, ...args)
    function bound(this: unknown, ...args: unknown[]): unknown {
      return run(thisArg === undefined ? this : thisArg, args)
    }
    return Object.defineProperty(bound, 'length', { value: fn.length, configurable: true })
  }
  AsyncResource.prototype.bind = bind as typeof AsyncResource.prototype.bind
}
