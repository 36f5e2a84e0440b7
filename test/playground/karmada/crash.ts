import { type KubeApi, UnreachableError } from '../../../ports/kube-api.js'

/** Ends the controllers at one of their writes: that one is stored or not, its answer is lost, and nothing follows. */
export class Crash {
  writes = 0
  at = Number.POSITIVE_INFINITY
  isStored = false

  readonly through = (control: KubeApi): KubeApi => ({
    ...control,
    request: async request => {
      const isWrite = request.method !== 'GET'
      if (isWrite) this.writes++
      const lost = () => new UnreachableError('the controllers have crashed', '')
      if (this.writes > this.at || (isWrite && this.writes === this.at && !this.isStored)) throw lost()
      const answer = await control.request<never>(request)
      if (isWrite && this.writes >= this.at) throw lost()
      return answer
    },
    watch: request => control.watch(request),
    close: () => control.close(),
  })

  get hasHappened(): boolean {
    return this.writes >= this.at
  }
}
