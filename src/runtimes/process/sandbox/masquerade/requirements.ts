/** Checks whether masquerading is possible on this machine, before anything is changed. */
import { masqueradeUnavailable } from '../../errors.ts';
import type { Machine } from '../../machine/machine.ts';

/** Throws MASQUERADE_UNAVAILABLE. */
export function refuseMasquerade(
  { uid, obstacle, tools }: Pick<Machine, 'uid' | 'obstacle' | 'tools'>,
  hasNamespaces: boolean,
): void {
  if (uid !== 0) {
    throw masqueradeUnavailable({
      reason: 'podkeep is not root, so its pods share the network of this machine already',
      remedy: 'Start podkeep as root',
    });
  }
  if (!hasNamespaces) {
    const reason = `pods have no network of their own here${obstacle && ` (${obstacle})`}`;
    throw masqueradeUnavailable({ reason, remedy: 'Set process.network and isolation to auto' });
  }
  if (tools.nft === undefined) {
    throw masqueradeUnavailable({
      reason: 'the program nft is not installed',
      remedy: 'Install the package nftables',
    });
  }
}
