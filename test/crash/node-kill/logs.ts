/** Compares podkeep's logs with the numbers that containers wrote. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Ledger } from './ledger.ts';
import { containersOf, uidOf, type PodView } from './pod-view.ts';

/** What is wrong with the logs of a pod that no longer runs, or of which no run has just ended. */
export function logFaults(dataFolder: string, pod: PodView, ledger: Ledger): readonly string[] {
  const { name } = pod.metadata;
  const uid = uidOf(pod);
  const folder = path.join(dataFolder, 'node', 'logs', `default_${name}_${uid}`);
  return containersOf(pod).flatMap((container) => {
    const own = path.join(folder, container.name);
    const files = existsSync(own) ? readdirSync(own) : [];
    const { restartCount, state } = container;
    const hasRun = ledger.run(uid, container.name, restartCount) !== undefined;
    if (state.terminated && hasRun && !files.includes(`${restartCount}.log`)) {
      return [`${name}/${container.name}: the log of attempt ${restartCount} is gone`];
    }
    return files.flatMap((file) => {
      const attempt = Number.parseInt(file, 10);
      const isOver = attempt < restartCount || state.terminated !== undefined;
      const count = isOver ? ledger.run(uid, container.name, attempt)?.lines : undefined;
      const text = readIfThere(path.join(own, file));
      const fault = text === null ? null : numberFault(textOf(text), count);
      return fault === null ? [] : [`${name}/${container.name}/${file}: ${fault}`];
    });
  });
}

/** Null: all numbers are there, each once and in order. `count`: how many there must be, if known. */
export function numberFault(lines: readonly string[], count?: number): string | null {
  const wrong = lines.findIndex((line, index) => line !== `line ${index}`);
  if (wrong !== -1) return `line ${wrong} is ${JSON.stringify(lines[wrong])}`;
  if (count !== undefined && lines.length !== count) return `${lines.length} lines, not ${count}`;
  return null;
}

/** A dead container may be removed, with its log, during the check. */
function readIfThere(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

/** Without the time, the stream and the flag before each line. */
function textOf(log: string): readonly string[] {
  return log
    .split('\n')
    .slice(0, -1)
    .map((line) => line.split(' ').slice(3).join(' '));
}
