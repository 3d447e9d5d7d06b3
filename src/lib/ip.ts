/**
 * Parses IP addresses and formats them in canonical form.
 *
 * Runtimes print addresses in any form (`10.0.0.07`, `FD00:0:0::1`). The API requires the shortest form, in
 * which equal addresses are equal strings.
 */

export interface IpAddress {
  readonly family: 4 | 6;
  readonly text: string;
}

const IPV4 = /^(\d{1,10})\.(\d{1,10})\.(\d{1,10})\.(\d{1,10})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;
const GROUPS = 8;

export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const octets = parseOctets(text);
    return octets && { family: 4, text: octets.join('.') };
  }
  const groups = parseGroups(text);
  if (!groups) return undefined;
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (mapped) return { family: 4, text: groups.slice(6).flatMap(octetsOfGroup).join('.') };
  return { family: 6, text: formatGroups(groups) };
}

/** Numbers with leading zeros are decimal here, as runtimes intend. */
function parseOctets(text: string): readonly number[] | undefined {
  const match = IPV4.exec(text);
  const octets = match?.slice(1).map(Number);
  return octets?.every((octet) => octet <= 255) ? octets : undefined;
}

function parseGroups(text: string): readonly number[] | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const sides = halves.map((half, index) => parseSide(half, index === halves.length - 1));
  const [left, right] = sides;
  if (!left || (halves.length === 2 && !right)) return undefined;
  if (!right) return left.length === GROUPS ? left : undefined;
  const missing = GROUPS - left.length - right.length;
  return missing >= 1 ? [...left, ...Array<number>(missing).fill(0), ...right] : undefined;
}

/** Parses one side of the `::`. The last part may be an IPv4 address, which is two groups. */
function parseSide(text: string, isLast: boolean): readonly number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const words = text.split(':');
  for (const [index, word] of words.entries()) {
    const octets = isLast && index === words.length - 1 ? parseOctets(word) : undefined;
    if (octets) {
      const [a = 0, b = 0, c = 0, d = 0] = octets;
      groups.push(a * 256 + b, c * 256 + d);
    } else if (GROUP.test(word)) {
      groups.push(Number.parseInt(word, 16));
    } else {
      return undefined;
    }
  }
  return groups;
}

function octetsOfGroup(group: number): readonly number[] {
  return [Math.floor(group / 256), group % 256];
}

/** The first longest run of two or more zero groups becomes `::`. */
function formatGroups(groups: readonly number[]): string {
  let best = { start: 0, length: 1 };
  for (let start = 0; start < GROUPS; start++) {
    let length = 0;
    while (groups[start + length] === 0) length += 1;
    if (length > best.length) best = { start, length };
  }
  const words = groups.map((group) => group.toString(16));
  if (best.length < 2) return words.join(':');
  const head = words.slice(0, best.start).join(':');
  const tail = words.slice(best.start + best.length).join(':');
  return `${head}::${tail}`;
}
