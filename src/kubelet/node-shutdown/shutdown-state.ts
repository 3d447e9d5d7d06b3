/**
 * Stores when the last shutdown of this node began and ended, in the file and the format of Kubernetes'
 * kubelet. The next podkeep process exposes the times as metrics.
 */
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { formatMicroTime, parseTime } from '../../api/values/time.ts';
import { isJsonObject, type Json } from '../../lib/json.ts';

/** Milliseconds since 1970. Null: it has not begun, or not ended. */
export interface ShutdownTimes {
  readonly startMs: number | null;
  readonly endMs: number | null;
}

export interface ShutdownStateStore {
  load(): Promise<ShutdownTimes>;
  store(times: ShutdownTimes): Promise<void>;
}

const FILE = 'graceful_node_shutdown_state';
const FILE_MODE = 0o644;
/** Go's zero time. */
const ZERO = '0001-01-01T00:00:00Z';

/** `folder`: the root folder of the node. */
export function shutdownStateFile(folder: string): ShutdownStateStore {
  const file = path.join(folder, FILE);
  return {
    async load() {
      const text = await readFile(file, 'utf8').catch((error: unknown) => {
        if (isMissing(error)) return '{}';
        throw error;
      });
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what JSON.parse returns is JSON
      const state = JSON.parse(text) as Json;
      const times = isJsonObject(state) ? state : {};
      return { startMs: timeIn(times['startTime']), endMs: timeIn(times['endTime']) };
    },
    async store({ startMs, endMs }) {
      const text = JSON.stringify({ startTime: textOf(startMs), endTime: textOf(endMs) });
      // The machine is about to lose its power: the file must be whole, and on the disk.
      const draft = `${file}.new`;
      await writeFile(draft, text, { mode: FILE_MODE, flush: true });
      await rename(draft, file);
    },
  };
}

function timeIn(json: Json | undefined): number | null {
  return typeof json === 'string' && json !== ZERO ? parseTime(json).ms : null;
}

function textOf(ms: number | null): string {
  return ms === null ? ZERO : formatMicroTime(ms);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
