/** The name of a replica in its identity in the Lease, without the random part; '' for nobody. */
export const replicaName = (identity: string | undefined): string =>
  identity?.replace(/_[0-9a-f]{8}$/, '') ?? ''
