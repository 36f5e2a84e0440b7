import { not } from 'xstate'
import { GATHER_MS, ROLE_BINDINGS_PAUSE_MS, STATUS_PAUSE_COMING_UP_MS, STATUS_PAUSE_MS } from '../retry.js'
import { reconciler } from './reconciler.js'
import { revised } from './reduce-fact.js'
import { instance } from './setup.js'
import { teardownStep } from './teardown-step.js'

/**
 * The life of one instance: one Karmada control plane under management.
 *
 * Expected flow: the CR is accepted and claimed, its credentials are resolved, the control plane is reached, a virtual
 * cluster is made of it in Container Management and synced, it is registered with Global Management, and it is ready. It
 * is degraded while a part of that is broken, and ready again when the part is mended. When the CR is deleted everything
 * outside is taken down in order, and the finalizer goes last.
 *
 * How to read it: events only add to what is known (`context.ts`), nothing else. What follows from the context stands
 * in `always` guards. So it makes no difference in which order, how late or how often facts arrive, and an actor that is
 * restarted and sent the same facts ends up in the same state.
 *
 * Guarantees: ready only on facts observed since contact was made. An effect runs only in a state tagged `acting`, which
 * is left, and its effect aborted, as soon as this replica does not lead. From `deleting` only `gone` follows.
 *
 * Assumptions: an effect may run twice and has a deadline of its own. The provider of `rest` adds the jitter.
 *
 * Errors: an effect fails with a `Failure`; it is kept in `work`, shown in a condition and followed by a rest. An error
 * thrown by a guard or an action is a defect: it stops the actor, and the supervisor deals with it.
 */
export const instanceMachine = instance.createMachine({
  id: 'instance',
  context: ({ input: { instance, leading } }) =>
    revised(
      {
        name: instance.metadata.name,
        instance,
        leading,
        phase: 'registering',
        facts: {},
        work: {},
        wanted: {},
      },
      {},
    ),
  // A loop of guards would be a defect; better a crashed actor than a hung process (XState's default is endless).
  options: { maxIterations: 1_000 },
  invoke: [
    { src: 'follow the credentials', id: 'credentials', input: ({ context: { name } }) => ({ name }) },
    { src: 'probe the control plane', id: 'probe', input: ({ context: { name } }) => ({ name }) },
  ],
  on: {
    'instance.removed': '.gone',
    'instance.observed': { actions: 'reduce the fact' },
    'leadership.*': { actions: 'reduce the fact' },
    'credentials.observed': { actions: 'reduce the fact' },
    'controlPlane.*': { actions: 'reduce the fact' },
    'statistics.observed': { actions: 'reduce the fact' },
    'index.measured': { actions: 'reduce the fact' },
    'impersonation.answered': { actions: 'reduce the fact' },
    'duplicate.observed': { actions: 'reduce the fact' },
    'installation.observed': { actions: 'reduce the fact' },
    'virtualCluster.observed': { actions: 'reduce the fact' },
    'registration.observed': { actions: 'reduce the fact' },
    'roleBindings.*': { actions: 'reduce the fact' },
    'host.*': { actions: 'reduce the fact' },
    'rest.*': { actions: 'reduce the fact' },
  },
  initial: 'managed',
  states: {
    /** The CR is not being deleted. Its five controllers and the finalizer are kept true, each in a region of its own. */
    managed: {
      type: 'parallel',
      always: { guard: 'deletion is requested', target: 'deleting' },
      states: {
        phase: {
          initial: 'recalling',
          states: {
            /** Passed through at once: an instance that was ready before this process started is not registered again. */
            recalling: {
              always: [{ guard: 'was ready', target: 'degraded' }, { target: 'registering' }],
            },
            /** The CR is accepted and claimed; credentials, installation, first contact and versions are under way. */
            registering: {
              tags: 'registering',
              entry: { type: 'note the phase', params: 'registering' },
              always: { guard: 'has a virtual cluster', target: 'virtualClusterSynced' },
              initial: 'accepting',
              states: {
                /** The spec is being checked and our finalizer added. */
                accepting: {
                  always: { guard: 'is accepted', target: 'resolvingCredentials' },
                },
                /** karmada-operator brings the control plane up; its kubeconfig does not exist yet. */
                installing: {
                  always: [
                    { guard: not('is accepted'), target: 'accepting' },
                    { guard: not('is installing'), target: 'resolvingCredentials' },
                  ],
                },
                /** The Secret is being read and turned into a connection. */
                resolvingCredentials: {
                  always: [
                    { guard: not('is accepted'), target: 'accepting' },
                    { guard: 'is installing', target: 'installing' },
                    { guard: 'has credentials', target: 'reaching' },
                  ],
                },
                /** There is a connection; the control plane has not proven healthy and distinct, or its virtual cluster is being made. */
                reaching: {
                  always: [
                    { guard: not('is accepted'), target: 'accepting' },
                    { guard: not('has credentials'), target: 'resolvingCredentials' },
                    { guard: 'is a duplicate', target: 'duplicate' },
                  ],
                },
                /** An older instance has this control plane. Nothing is made outside until it goes. */
                duplicate: {
                  always: { guard: not('is a duplicate'), target: 'reaching' },
                },
              },
            },
            /** The virtual cluster exists; its first sync and the registration with Global Management are under way. */
            virtualClusterSynced: {
              tags: 'virtualClusterSynced',
              entry: { type: 'note the phase', params: 'virtualClusterSynced' },
              always: [
                { guard: not('has a virtual cluster'), target: 'registering' },
                { guard: 'is whole', target: 'ready' },
              ],
              initial: 'syncing',
              states: {
                /** Container Management has not yet read everything once. */
                syncing: { always: { guard: 'is synced', target: 'publishing' } },
                /** Synced; the registration, or the health of one of the two APIs, is still missing. */
                publishing: { always: { guard: not('is synced'), target: 'syncing' } },
              },
            },
            /** Control plane healthy, virtual cluster synced, registration published: seen by our own watches since contact was made. */
            ready: {
              tags: 'ready',
              entry: { type: 'note the phase', params: 'ready' },
              always: { guard: not('is whole'), target: 'degraded' },
            },
            /** Was ready, and a part of that does not hold, or was not seen since contact was made. Conditions name each. */
            degraded: {
              tags: 'degraded',
              entry: { type: 'note the phase', params: 'degraded' },
              always: { guard: 'is whole', target: 'ready' },
            },
          },
        },
        finalizer: reconciler('finalizer'),
        installation: reconciler('installation'),
        virtualCluster: reconciler('virtualCluster'),
        registration: reconciler('registration'),
        roleBindings: reconciler('roleBindings', { pauseMs: ROLE_BINDINGS_PAUSE_MS, gatherMs: GATHER_MS }),
        status: reconciler('status', {
          pauseMs: STATUS_PAUSE_MS,
          pauseComingUpMs: STATUS_PAUSE_COMING_UP_MS,
          gatherMs: GATHER_MS,
        }),
        /** What the index claims is checked against what it shows. It is not needed on the way up, and delays nothing. */
        index: {
          initial: 'idle',
          states: {
            /** The control plane does not answer, or the index does not claim to be synced. */
            idle: { always: { guard: 'has an index to measure', target: 'measuring' } },
            /** Each replica looks for the canary. The leader writes it, and so does another one whose callers need a newer one. */
            measuring: {
              always: { guard: not('has an index to measure'), target: 'idle' },
              invoke: {
                src: 'measure the index',
                id: 'canary',
                input: ({ context: { name } }) => ({ name }),
              },
            },
          },
        },
        statistics: {
          initial: 'idle',
          states: {
            /** Nothing to gather from, or another replica gathers. */
            idle: { always: { guard: 'has statistics to gather', target: 'gathering' } },
            /** The member clusters, policies and templates are being watched and summed up, and our RBAC inside is watched. */
            gathering: {
              always: { guard: not('has statistics to gather'), target: 'idle' },
              invoke: [
                {
                  src: 'gather the statistics',
                  id: 'statistics',
                  input: ({ context: { name } }) => ({ name }),
                },
                {
                  src: 'watch the role bindings',
                  id: 'inside',
                  input: ({ context: { name } }) => ({ name }),
                },
              ],
            },
          },
        },
      },
    },
    /**
     * Everything outside is taken down, in this order; there is no way back. A step that can never succeed (`is given up`) is
     * passed after some attempts, and what it left is said in an Event when the finalizer goes.
     */
    deleting: {
      type: 'parallel',
      tags: 'deleting',
      entry: { type: 'note the phase', params: 'deleting' },
      states: {
        teardown: {
          initial: 'unpublishing',
          states: {
            /** Global Management must not offer the instance any more. */
            unpublishing: teardownStep('unpublishing', 'removingRoleBindings'),
            /** The RBAC that was materialized inside goes, and the canary with it. */
            removingRoleBindings: teardownStep('removingRoleBindings', 'deletingVirtualCluster'),
            /** The PediaCluster goes, and Container Management's data with it. */
            deletingVirtualCluster: teardownStep('deletingVirtualCluster', 'deciding'),
            /** Passed through at once: only an installed Karmada with `deletionPolicy: Delete` is uninstalled. */
            deciding: {
              always: [{ guard: 'uninstall is requested', target: 'uninstalling' }, { target: 'releasing' }],
            },
            /** The Karmada object goes, and karmada-operator takes the control plane down. */
            uninstalling: teardownStep('uninstalling', 'releasing'),
            /** Nothing is left outside; our finalizer goes. */
            releasing: teardownStep('releasing', 'released'),
            /** The CR is no longer held by us; it goes when all other finalizers have. */
            released: {},
          },
        },
        /** People still read why it takes long. */
        status: reconciler('status', { pauseMs: STATUS_PAUSE_MS }),
      },
    },
    /** The CR is gone, and nothing of the instance is left outside. */
    gone: { type: 'final' },
  },
})
