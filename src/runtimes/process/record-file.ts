/**
 * Reads and writes the record of a container, which has two files:
 *
 *     FOLDER/pods/UID/NAME-ATTEMPT/config.json   its record
 *     MEMORY/ID.json                             its command, environment and mounts: may hold Secrets
 *
 * The second file is in memory (lib/memory-folder.ts), and is removed when the container has ended, because a
 * container never starts twice. On a machine without such memory everything is in the first file, readable by
 * podkeep's user only.
 */
import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { MemoryFolder } from '../../lib/memory-folder.ts';
import { containerNotStarted } from './errors.ts';
import { readJson, reasonOf, writeJson } from './json-file.ts';
import type { ContainerRecord } from './container/records.ts';

type PrivatePart = Pick<ContainerRecord, 'argv' | 'env'> &
  Pick<ContainerRecord['config'], 'command' | 'args' | 'mounts'> & {
    readonly configEnv: ContainerRecord['config']['env'];
  };

export type Memory = Pick<MemoryFolder, 'open'>;

const NOTHING: PrivatePart = {
  argv: [],
  env: [],
  command: [],
  args: [],
  mounts: [],
  configEnv: [],
};
const RECORD = 'config.json';

export function writeRecord(folder: string, record: ContainerRecord, memory: Memory): void {
  const place = memory.open();
  const file = path.join(folder, RECORD);
  if (record.privatePart === 'lost') {
    writeJson(file, { ...record, privatePart: 'memory' });
    return;
  }
  if (place === undefined) {
    writeJson(file, record);
    return;
  }
  try {
    writeJson(privateFile(place, record.id, 'json'), privatePartOf(record));
  } catch (error) {
    const reason = `its environment cannot be kept in memory: ${reasonOf(error)}`;
    throw containerNotStarted({ name: record.config.name, reason }, error);
  }
  writeJson(file, { ...withPrivatePart(record, NOTHING), privatePart: 'memory' });
}

/** Moves the private part of a record of an earlier version from the disk to memory. */
export async function readRecord(
  folder: string,
  memory: Memory,
): Promise<ContainerRecord | undefined> {
  const record = await readJson<ContainerRecord>(path.join(folder, RECORD));
  if (!record) return undefined;
  if (record.privatePart !== 'memory') {
    writeRecord(folder, record, memory);
    return record;
  }
  const place = memory.open();
  const part =
    place && (await readJson<PrivatePart>(privateFile(place, record.id, 'json')).catch(() => null));
  if (!part) return { ...record, privatePart: 'lost' };
  const { privatePart: _, ...whole } = withPrivatePart(record, part);
  return whole;
}

/** Removes the private part of a container that has ended or was removed. */
export function forgetPrivatePart({ id }: ContainerRecord, memory: Memory): void {
  const place = memory.open();
  if (place === undefined) return;
  for (const kind of ['json', 'json.new', 'sh'] as const) {
    rmSync(privateFile(place, id, kind), { force: true });
  }
}

/**
 * Removes the private parts of all other containers: those that have ended, or that this runtime does not
 * know.
 */
export function sweepPrivateParts(
  containers: readonly { readonly record: ContainerRecord; readonly result: unknown }[],
  memory: Memory,
): void {
  const place = memory.open();
  if (place === undefined) return;
  const needed = containers.filter(({ result }) => result === undefined);
  const known = new Set(needed.map(({ record }) => path.basename(record.id)));
  for (const name of readdirSync(place)) {
    if (!known.has(name.split('.', 1)[0] ?? '')) rmSync(path.join(place, name), { force: true });
  }
}

/** Writes a script that holds the environment: in memory if possible, with `file` as a link to it. */
export function writePrivateScript(
  file: string,
  { id }: ContainerRecord,
  text: string,
  memory: Memory,
): void {
  const place = memory.open();
  const target = place === undefined ? file : privateFile(place, id, 'sh');
  rmSync(file, { force: true });
  writeFileSync(target, text, { mode: 0o600 });
  if (target !== file) symlinkSync(target, file);
}

/** The environment with which a process started. Empty: the kernel does not show it. */
export function environmentOfProcess(pid: number): ContainerRecord['env'] {
  try {
    const words = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
    return words.flatMap((word) => {
      const [, name, value] = /^([^=]+)=(.*)$/s.exec(word) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value] as const];
    });
  } catch {
    return [];
  }
}

function privateFile(place: string, id: string, kind: 'json' | 'json.new' | 'sh'): string {
  return path.join(place, `${path.basename(id)}.${kind}`);
}

function privatePartOf({ argv, env, config }: ContainerRecord): PrivatePart {
  const { command, args, mounts, env: configEnv } = config;
  return { argv, env, command, args, mounts, configEnv };
}

function withPrivatePart(record: ContainerRecord, part: PrivatePart): ContainerRecord {
  const { argv, env, command, args, mounts, configEnv } = part;
  return {
    ...record,
    argv,
    env,
    config: { ...record.config, command, args, mounts, env: configEnv },
  };
}
