import { Anchor } from '@mantine/core'
import { Link } from '@tanstack/react-router'

/** A member cluster's name as a link to its screen. */
export const ClusterLink = ({
  instance,
  cluster,
}: {
  readonly instance: string
  readonly cluster: string
}) => (
  <Anchor
    component={Link}
    to="/instances/$name/clusters/$cluster"
    params={{ name: instance, cluster } as never}
    size="sm"
  >
    {cluster}
  </Anchor>
)
