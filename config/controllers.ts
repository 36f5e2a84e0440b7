import { hostname } from 'node:os'
import { dnsLabel, milliseconds, text } from './kinds.js'
import { acting, setting } from './setting.js'

/** Settings of who leads, and of what the leader does. */
export const controllerSettings = {
  identity: setting({
    kind: text('name', '1 to 253 printable characters', /^[!-~]{1,253}$/),
    default: `${hostname()}_${process.pid}`,
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'name of this replica in the lease, to which each process adds a random part',
    why: 'host name and process id, for people who read the Lease; two containers can have both in common, so the random part makes it unique',
  }),
  leaseName: setting({
    kind: dnsLabel,
    default: 'kairship-controller-manager',
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'the Lease that replicas contend for; the Roles in manifests/install name it, too',
    why: 'one lease per Kairship; change it to run two on one host cluster',
  }),
  leaseDurationMs: setting({
    kind: milliseconds(1_000, 3_600_000),
    default: 15_000,
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'a follower takes over when the lease has not been renewed for this long',
    why: 'the default of Kubernetes’ own components; a crash costs this much, a graceful stop nothing (the Lease API counts whole seconds)',
  }),
  renewDeadlineMs: setting({
    kind: milliseconds(500, 3_600_000),
    default: 10_000,
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'a leader that could not renew for this long stops acting',
    why: 'two thirds of the lease: the leader is silent well before anyone else may act',
  }),
  retryPeriodMs: setting({
    kind: milliseconds(50, 600_000),
    default: 2_000,
    group: 'Leadership',
    commands: ['serve', 'controller-manager'],
    help: 'pause between two attempts to take or renew the lease',
    why: 'five attempts within the renew deadline; one small write per period',
  }),

  probeIntervalMs: setting({
    kind: milliseconds(100, 3_600_000),
    default: 10_000,
    group: 'Controllers',
    commands: acting,
    help: 'pause between two health probes of a control plane and its aggregated API; longer in a fleet of more than a hundred, where probes have a rate: a round of a thousand takes 53 s',
    why: 'Karmada looks at its member clusters at the same pace',
  }),
  statusIntervalMs: setting({
    kind: milliseconds(100, 3_600_000),
    default: 10_000,
    group: 'Controllers',
    commands: acting,
    help: 'least time between two writes of an instance’s counters; state and conditions are written at once',
    why: 'Karmada refreshes a cluster’s counters every 10 s, so a shorter interval would write the same figures again',
  }),
  indexCanaryIntervalMs: setting({
    kind: milliseconds(0, 3_600_000),
    default: 30_000,
    group: 'Controllers',
    commands: [...acting, 'apiserver'],
    help: 'pause between two canaries that measure how far an instance’s index is behind, while callers read it; all others share one canary a second; 0 sends none',
    why: 'two small requests an interval tell within it and the patience of an index that claims health and is stalled; a fleet without readers costs two requests a second, whatever its size',
  }),
  indexCanaryPatienceMs: setting({
    kind: milliseconds(100, 3_600_000),
    default: 10_000,
    group: 'Controllers',
    commands: [...acting, 'apiserver'],
    help: 'an index that does not show a canary within this time is taken out of service until it shows a later one in time',
    why: 'thirty times what Clusterpedia’s lag was at its 99th percentile beside 150 writes/s, and longer than a restart of its database',
  }),
} as const
