/** Finds chains of other firewalls that drop forwarded packets, from `nft -j list chains` (pure). */

interface Chain {
  readonly family: string;
  readonly table: string;
  readonly name: string;
  readonly hook?: string;
  readonly policy?: string;
}

const IPV4_FAMILIES: ReadonlySet<string> = new Set(['ip', 'inet']);

/**
 * A packet passes the chains of all tables, so an `accept` in podkeep's table does not overrule a drop
 * elsewhere.
 */
export function foreignDrops(json: string): readonly string[] {
  return chainsIn(json)
    .filter(({ hook, policy }) => hook === 'forward' && policy === 'drop')
    .filter(({ family }) => IPV4_FAMILIES.has(family))
    .map(({ family, table, name }) => `${family} ${table} ${name}`);
}

function chainsIn(json: string): readonly Chain[] {
  const { nftables = [] }: { nftables?: readonly { chain?: Chain }[] } = JSON.parse(json);
  return nftables.flatMap(({ chain }) => (chain ? [chain] : []));
}
