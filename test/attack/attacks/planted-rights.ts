/** Compares the rights that planted programs have recorded with those of the container's command. */

interface Rights {
  readonly uid: string;
  readonly capabilities: bigint;
  readonly noNewPrivileges: boolean;
  readonly isFiltered: boolean;
  readonly root: string;
}

/** A sentence if something that was planted ran with more; undefined: nothing did. */
export function excessIn(output: string): string | undefined {
  const own =
    /^SELF\n([\s\S]*?)^DONE$/m.exec(output)?.[1] ?? /^BEFORE\n([\s\S]*?)^DONE$/m.exec(output)?.[1];
  if (own === undefined) return undefined;
  const allowed = rightsOf(own);
  for (const [, name = '', text = ''] of output.matchAll(/^PLANTED (.*)\n([\s\S]*?)^DONE$/gm)) {
    const excess = excessOf(rightsOf(text), allowed);
    if (excess !== undefined) return `what was planted (${name}) ran with more rights: ${excess}`;
  }
  return undefined;
}

function excessOf(found: Rights, allowed: Rights): string | undefined {
  if (found.uid !== allowed.uid) return `user ${found.uid}, not ${allowed.uid}`;
  const more = found.capabilities & ~allowed.capabilities;
  if (more !== 0n) return `capabilities ${more.toString(16)}`;
  if (allowed.noNewPrivileges && !found.noNewPrivileges) return 'it may gain privileges';
  if (allowed.isFiltered && !found.isFiltered) return 'no filter of system calls';
  if (allowed.root !== '' && found.root !== allowed.root)
    return `another root, ${found.root}, not ${allowed.root}`;
  return undefined;
}

function rightsOf(status: string): Rights {
  const field = (name: string): string =>
    new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]?.trim() ?? '';
  const mask = (name: string): bigint => BigInt(`0x${field(name) || '0'}`);
  return {
    uid: field('Uid').split(/\s+/).join(' '),
    capabilities: mask('CapEff') | mask('CapPrm') | mask('CapInh') | mask('CapAmb'),
    noNewPrivileges: field('NoNewPrivs') === '1',
    isFiltered: field('Seccomp') === '2',
    root: field('Root'),
  };
}
