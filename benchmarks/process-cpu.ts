/** Reads the CPU time of a process and all its descendants from /proc. */
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  /** The time of the process, and of its ended children for which it has waited. */
  readonly ticks: number;
}

/** Milliseconds so far. The time of an ended process is included in that of its parent. */
export function treeCpuMs(root: number): number {
  const processes = readProcesses();
  const below = new Set([root]);
  // Parents may be listed after their children, because PIDs are reused.
  for (let size = 0; size !== below.size;) {
    size = below.size;
    for (const { pid, parent } of processes) if (below.has(parent)) below.add(pid);
  }
  const own = processes.filter(({ pid }) => below.has(pid));
  return (own.reduce((sum, { ticks }) => sum + ticks, 0) * 1000) / TICKS_PER_SECOND;
}

function readProcesses(): readonly ProcessTimes[] {
  const numbers = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return numbers.flatMap((name) => {
    try {
      return [timesOf(Number(name), readFileSync(`/proc/${name}/stat`, 'utf8'))];
    } catch {
      // The process has ended in the meantime.
      return [];
    }
  });
}

function timesOf(pid: number, stat: string): ProcessTimes {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), ticks };
}
