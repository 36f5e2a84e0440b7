/** Every text of the console in English. The other languages have the same entries, which the compiler checks. */
const plural = new Intl.PluralRules('en')
const count = (n: number, one: string, other: string): string =>
  `${n.toLocaleString('en')} ${plural.select(n) === 'one' ? one : other}`

export const en = {
  language: 'English',
  locale: 'en',
  product: 'Kairship',
  nav: { fleet: 'Fleet', api: 'API reference', skip: 'Skip to content' },
  look: { toDark: 'Use dark colours', toLight: 'Use light colours', language: 'Language' },
  session: {
    title: 'Sign in to Kairship',
    how: 'Open the link that “kairship console” prints, or paste a token. The token stays on the server’s side: no script of this page can read it.',
    token: 'Token',
    tokenHelp:
      'Of an OpenID Connect issuer that Kairship accepts, or of a ServiceAccount of the host cluster',
    submit: 'Sign in',
    signOut: 'Sign out',
    over: 'Your session is over. Sign in again: what you see stays.',
    again: 'Sign in again',
  },
  problem: { title: 'This did not work', retry: 'Try again', notFound: 'There is no such page.' },
  live: {
    loading: 'Loading',
    live: 'Live',
    stale: (age: string) => `Not live: as of ${age}. Trying again.`,
    source: 'Answered by Kairship from what it watches',
  },
  states: {
    RUNNING: 'Ready',
    INPROCESS: 'Starting',
    UNAVAILABLE: 'Degraded',
    TERMINAL: 'Deleting',
    UNKNOWN: 'Unknown',
  },
  fleet: {
    title: 'Fleet',
    instances: (n: number) => count(n, 'instance', 'instances'),
    filter: 'Find by name or alias',
    cards: 'Cards',
    table: 'Table',
    empty:
      'There are no instances yet. Create one with “kairship adopt”, or apply an Instance to the host cluster.',
    noMatch: (text: string) => `No instance has “${text}” in its name or alias.`,
    columns: {
      name: 'Instance',
      state: 'State',
      attention: 'Needs attention',
      versions: 'Karmada · Kubernetes',
      clusters: 'Clusters',
      nodes: 'Nodes',
      cpu: 'CPU',
      memory: 'Memory',
      since: 'Since',
    },
    nothing: 'Nothing',
    ready: (ready: number, total: number) => `${ready} of ${total} ready`,
    page: 'Page',
  },
  instance: {
    why: 'Why it is in this state',
    calm: 'Everything that ready needs was observed. Nothing is pending.',
    lifecycle: 'Lifecycle',
    lifecycleLabel: (state: string) => `State machine of the instance; the current state is ${state}`,
    regions: 'What Kairship keeps true',
    conditions: 'Conditions',
    transitions: 'Transitions',
    noTransitions: 'None since this replica started.',
    allTransitions: (n: number) => `Show all ${n}`,
    transition: { time: 'Time', from: 'From', to: 'To', event: 'Event', cause: 'Cause' },
    condition: { type: 'Condition', status: 'Holds', reason: 'Reason', message: 'Message', since: 'Since' },
    holds: { True: 'yes', False: 'no', Unknown: 'unknown' },
    capacity: 'Capacity of its clusters',
    allocated: (used: string, of: string) => `${used} of ${of} requested`,
    counts: 'What it has',
    connect: 'Connect with kubectl',
    connectHelp: 'Adds a context for this instance to your kubeconfig. You use it as yourself.',
    copy: 'Copy',
    copied: 'Copied',
    gone: (name: string) => `The instance ${name} is gone.`,
    endpoint: 'Endpoint',
    leader: (name: string) => `Replica ${name} acts for it.`,
  },
}

export type Words = typeof en
