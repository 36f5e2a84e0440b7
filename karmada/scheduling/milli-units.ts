import { type Quantity, wholeUnits } from '../../manifests/quantity.js'

/** Thousandths, rounded away from zero (`Quantity.MilliValue()` of Kubernetes). */
export const milliUnits = ({ nano, format }: Quantity): bigint => wholeUnits({ nano: nano * 1000n, format })
