import type { ControlPlane } from './kube-control-plane.js'

/** Flags of Karmada's components beyond those that each run needs. */
export interface KarmadaFlags {
  readonly webhook: readonly string[]
  readonly controllers: readonly string[]
  readonly scheduler: readonly string[]
  readonly schedulerProgram: string
}

/** Karmada with its defaults. */
export const PLAIN_FLAGS: KarmadaFlags = {
  webhook: [],
  controllers: [],
  scheduler: [],
  schedulerProgram: 'karmada-scheduler',
}

const GATES = '--feature-gates=AllAlpha=true,AllBeta=true'

/** Karmada as its own end-to-end suite is run: all feature gates, all controllers, evictions by taints, estimators. */
export const examinedFlags = ({ caFile }: Pick<ControlPlane, 'caFile'>): KarmadaFlags => ({
  webhook: [GATES, '--allow-no-execute-taint-policy=true'],
  controllers: [
    GATES,
    '--controllers=*,hpaScaleTargetMarker,deploymentReplicasSyncer',
    '--enable-no-execute-taint-eviction=true',
  ],
  scheduler: [GATES, '--enable-scheduler-estimator=true', `--scheduler-estimator-ca-file=${caFile}`],
  schedulerProgram: 'karmada-estimating-scheduler',
})
