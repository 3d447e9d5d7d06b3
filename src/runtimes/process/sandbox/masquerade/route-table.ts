/** Finds the interfaces that lead out of this machine, in the text of /proc/net/route (pure). */

const UP = 0x1;

/**
 * Interfaces with a route, in the order of the table, without the loopback interface and podkeep's bridges.
 */
export function routedInterfaces(text: string, ownPrefix: string): readonly string[] {
  const names = text
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [name = '', , , flags = '0'] = line.trim().split(/\s+/);
      const isUp = (Number.parseInt(flags, 16) & UP) !== 0;
      return isUp && name !== 'lo' && !name.startsWith(ownPrefix) ? [name] : [];
    });
  return [...new Set(names)];
}
