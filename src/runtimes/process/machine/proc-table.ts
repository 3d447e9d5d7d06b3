/**
 * Reads the processes of this machine from /proc, and signals them safely.
 *
 * A process is identified by its PID and its start time (the kernel's ticks since boot), because PIDs are
 * reused and a signal must never reach another process.
 */
import { readdirSync, readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Empty: the system does not report it, and the PID alone identifies the process. */
  readonly start: string;
}

export interface ProcessEntry extends ProcessIdentity {
  readonly parent: number;
  readonly session: number;
  readonly state: string;
  /** User and system time, in ticks of a hundredth of a second. */
  readonly cpuTicks: number;
  readonly residentPages: number;
  readonly pageFaults: number;
  readonly majorPageFaults: number;
}

export const TICKS_PER_SECOND = 100;
const PAGE_BYTES_USUAL = 4096;

export function readProcess(pid: number, proc = '/proc'): ProcessEntry | undefined {
  try {
    return parseStat(readFileSync(`${proc}/${pid}/stat`, 'utf8'));
  } catch {
    // The process has ended, or this system has no /proc.
    return undefined;
  }
}

/** The program name in the second field may hold any character, so fields are counted from its end. */
export function parseStat(text: string): ProcessEntry | undefined {
  const nameEnd = text.lastIndexOf(')');
  const fields = text
    .slice(nameEnd + 2)
    .trimEnd()
    .split(' ');
  const number = (index: number): number => Number(fields[index - 3] ?? 0);
  const start = fields[19];
  if (nameEnd < 0 || start === undefined) return undefined;
  return {
    pid: Number.parseInt(text, 10),
    state: fields[0] ?? '',
    parent: number(4),
    session: number(6),
    pageFaults: number(10),
    majorPageFaults: number(12),
    // Includes the time of children that the process has waited for.
    cpuTicks: number(14) + number(15) + number(16) + number(17),
    start,
    residentPages: number(24),
  };
}

export function isAlive(process: ProcessIdentity, isLinux: boolean): boolean {
  if (!isLinux) return answersSignals(process.pid);
  const entry = readProcess(process.pid);
  return entry !== undefined && entry.start === process.start && entry.state !== 'Z';
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The size of a memory page: 4096 on most machines, but not on all. */
export function readPageBytes(): number {
  try {
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    const pages = readProcess(process.pid)?.residentPages ?? 0;
    const bytes = pages === 0 ? 0 : (Number(kilobytes ?? 0) * 1024) / pages;
    // The two values were read a moment apart, so the result is rounded to a power of two.
    return bytes < 2048 ? PAGE_BYTES_USUAL : 2 ** Math.round(Math.log2(bytes));
  } catch {
    return PAGE_BYTES_USUAL;
  }
}

/** Every process that podkeep can see. */
export function readProcesses(): readonly ProcessEntry[] {
  const found: ProcessEntry[] = [];
  for (const name of listProc()) {
    const entry = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined;
    if (entry) found.push(entry);
  }
  return found;
}

function listProc(): readonly string[] {
  try {
    return readdirSync('/proc');
  } catch {
    return [];
  }
}

/**
 * The process and its descendants. In a process namespace orphans become children of the first process;
 * elsewhere they are found by their session, unless they left it.
 */
export function familyOf(
  root: ProcessIdentity,
  table: readonly ProcessEntry[],
  session?: number,
): readonly ProcessEntry[] {
  const byParent = new Map<number, ProcessEntry[]>();
  for (const entry of table) {
    const siblings = byParent.get(entry.parent);
    if (siblings) siblings.push(entry);
    else byParent.set(entry.parent, [entry]);
  }
  const isRoot = ({ pid, start }: ProcessEntry): boolean =>
    pid === root.pid && start === root.start;
  const family = new Map<number, ProcessEntry>();
  const waiting = table.filter((entry) => isRoot(entry) || entry.session === session);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    if (family.has(next.pid)) continue;
    family.set(next.pid, next);
    waiting.push(...(byParent.get(next.pid) ?? []));
  }
  return [...family.values()];
}

/** Signals the process if it still exists. False: it has ended. */
export function signalProcess(
  target: ProcessIdentity,
  signal: NodeJS.Signals | number,
  isLinux: boolean,
): boolean {
  if (!isAlive(target, isLinux)) return false;
  try {
    process.kill(target.pid, signal);
    return true;
  } catch {
    // The process ended between the check and the signal.
    return false;
  }
}

/** Kills a process and its descendants, even if the process itself has already ended. */
export function killFamily(
  { init, session }: { readonly init: ProcessIdentity; readonly session: number },
  isLinux: boolean,
): void {
  const family = isLinux ? familyOf(init, readProcesses(), session) : [];
  for (const member of family) {
    if (member.pid !== init.pid) signalProcess(member, 'SIGKILL', isLinux);
  }
  signalProcess(init, 'SIGKILL', isLinux);
}
