/**
 * Builds the nftables rules for masquerading, as input of `nft -f` (pure).
 *
 *     prerouting    drop: sources that are no pod's, and the machine's loopback addresses
 *     input         reject: link-local addresses of the machine
 *     forward       reject: link-local addresses (cloud metadata); accept: connections of pods, and their
 *                   replies; drop: connections to pods, and what podkeep's forwarding would let through
 *     postrouting   masquerade what leaves the bridge
 *
 * Bridges of other nodes of the same podkeep are treated like this one: between these bridges, pods keep
 * their own addresses.
 *
 * Each runtime has one table, which is replaced as a whole in one transaction, and removed as a whole.
 */

export interface RuleSet {
  readonly table: string;
  readonly bridge: string;
  /** The subnet of the pods, such as `10.231.31.0/24`. */
  readonly subnet: string;
  /** Interfaces on which podkeep has enabled forwarding: the rules let them forward only for pods. */
  readonly opened: readonly string[];
  /** Name servers at link-local addresses: pods may reach them for DNS only. */
  readonly resolvers: readonly string[];
  /** Bridges of the other nodes of this podkeep. */
  readonly neighbours: readonly string[];
}

/** The prefix of the bridges of all podkeep processes; each process has its own table. */
export const BRIDGE_NAMES = 'pk-';
const LINK_LOCAL = '169.254.0.0/16';
const LINK_LOCAL_6 = 'fe80::/10';
const REJECT = 'reject with icmpx type admin-prohibited';

export function ruleText(rules: RuleSet): string {
  const { table, bridge, subnet, opened, resolvers, neighbours } = rules;
  const fromPods = `iifname "${bridge}"`;
  const names = resolvers.flatMap((ip) =>
    ['udp', 'tcp'].map((protocol) => `${fromPods} ip daddr ${ip} ${protocol} dport 53 accept`),
  );
  const noLinkLocal = [
    ...names,
    `${fromPods} ip daddr ${LINK_LOCAL} ${REJECT}`,
    `${fromPods} ip6 daddr ${LINK_LOCAL_6} ${REJECT}`,
  ];
  const others = listOf(opened);
  const fromNeighbours = `iifname { ${listOf(neighbours)} } oifname "${bridge}" accept`;
  const away =
    neighbours.length === 0
      ? `oifname != "${bridge}"`
      : `oifname != { ${listOf([bridge, ...neighbours])} }`;
  return [
    removalText(table).trimEnd(),
    `table inet ${table} {`,
    ...chain('prerouting', 'filter hook prerouting priority -300', [
      `${fromPods} ip saddr != ${subnet} drop`,
      `${fromPods} ip daddr 127.0.0.0/8 drop`,
    ]),
    ...chain('input', 'filter hook input priority -10', noLinkLocal),
    ...chain('forward', 'filter hook forward priority -10', [
      `${fromPods} oifname "${bridge}" accept`,
      ...(neighbours.length === 0 ? [] : [fromNeighbours]),
      ...noLinkLocal,
      `${fromPods} meta nfproto ipv6 ${REJECT}`,
      `${fromPods} accept`,
      `oifname "${bridge}" ct state established,related accept`,
      `oifname "${bridge}" drop`,
      ...(others === '' ? [] : [`iifname { ${others} } oifname != "${BRIDGE_NAMES}*" drop`]),
    ]),
    ...chain('postrouting', 'nat hook postrouting priority 100', [
      `ip saddr ${subnet} ${away} masquerade`,
    ]),
    '}',
    '',
  ].join('\n');
}

function listOf(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ');
}

/** Works without the table, too: the first line creates it. */
export function removalText(table: string): string {
  return `table inet ${table}\ndelete table inet ${table}\n`;
}

function chain(name: string, hook: string, rules: readonly string[]): readonly string[] {
  return [
    `  chain ${name} {`,
    `    type ${hook}; policy accept;`,
    ...rules.map((rule) => `    ${rule}`),
    '  }',
  ];
}
