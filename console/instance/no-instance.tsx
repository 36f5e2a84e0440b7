import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { shownName } from '../parts/shown-name.js'
import { useNoInstanceWords } from '../words/no-instance.js'

/** Says that no instance has the name of an address, with a link to the fleet. */
export function NoInstance({ name }: { readonly name: string }) {
  const words = useNoInstanceWords()
  return (
    <Stack align="flex-start">
      <Text>{words.none(shownName(name))}</Text>
      <Anchor component={Link} to="/instances" size="sm">
        {words.fleet}
      </Anchor>
    </Stack>
  )
}
