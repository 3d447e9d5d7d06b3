/** What one process has, as the machine sees it, without what differs from run to run. */
import { readdirSync, readlinkSync } from 'node:fs';
import type { JsonObject } from '../../../src/lib/json.ts';
import { field, read } from './container-processes.ts';

/** Replaced by a placeholder wherever they occur. */
export type Changing = ReadonlyMap<string, string>;

export const ASPECTS = [
  'identity',
  'capabilities',
  'protections',
  'descriptors',
  'mounts',
] as const;

export function viewOf(pid: number, changing: Changing): JsonObject {
  const ids = (name: string): string[] => field(pid, name).split(/\s+/).filter(Boolean).map(mapped);
  const mask = (name: string): string => field(pid, name);
  return {
    identity: { uid: ids('Uid'), gid: ids('Gid'), groups: ids('Groups') },
    capabilities: {
      CapInh: mask('CapInh'),
      CapPrm: mask('CapPrm'),
      CapEff: mask('CapEff'),
      CapBnd: mask('CapBnd'),
      CapAmb: mask('CapAmb'),
    },
    protections: { NoNewPrivs: mask('NoNewPrivs'), Seccomp: mask('Seccomp') },
    descriptors: descriptorsOf(pid, changing),
    mounts: mountsOf(pid, changing),
  };
}

/** IDs of a user namespace begin at a varying base; only the offset is the same in each run. */
function mapped(id: string): string {
  const number = Number(id);
  return number >= 65_536 ? `base+${number % 65_536}` : id;
}

function descriptorsOf(pid: number, changing: Changing): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`)
      .toSorted((a, b) => Number(a) - Number(b))
      .map((fd) => {
        const to = readlinkSync(`/proc/${pid}/fd/${fd}`);
        const kind = to.replace(/^(pipe|socket):\[\d+\]$/, '$1');
        return `${fd} ${settled(kind, changing).replace(/^\/dev\/pts\/\d+$/, '/dev/pts/N')}`;
      });
  } catch {
    return [];
  }
}

function mountsOf(pid: number, changing: Changing): string[] {
  const lines = read(pid, 'mountinfo').trimEnd().split('\n').filter(Boolean);
  const views = lines.map((line) => {
    const [before = '', after = ''] = line.split(' - ');
    const [, , , , point = '', options = ''] = before.split(' ');
    const [type = ''] = after.split(' ');
    return `${settled(point, changing)} ${type} ${options}`;
  });
  return [...new Set(views)];
}

function settled(text: string, changing: Changing): string {
  let result = text;
  for (const [value, word] of changing) result = result.replaceAll(value, word);
  result = result.replace(/^\/run\/podkeep\/[^/]+\/[^/.]+/, '/run/podkeep/KEY/NAME');
  return result.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UID');
}
