/**
 * Reads and writes small JSON files, atomically.
 *
 * A file is written under a temporary name and then renamed, so that a reader never sees half of it. A
 * temporary file that a kill leaves behind is removed when the folder is read again.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { isJsonObject } from '../../lib/json.ts';

const OWNER_ONLY = 0o600;

/** Synchronous: waiting for another thread would take longer than writing so little. */
export function writeJson(file: string, value: object): void {
  const draft = `${file}.new`;
  writeFileSync(draft, `${JSON.stringify(value)}\n`, { mode: OWNER_ONLY });
  renameSync(draft, file);
}

/**
 * Undefined: the file is missing, or holds no object. Only podkeep writes these files, atomically, so the
 * type of an object is not checked.
 */
export async function readJson<Value extends object>(file: string): Promise<Value | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return isJsonObject(value) ? (value as unknown as Value) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined;
    throw error;
  }
}

/** Whether an operation failed because a file, or its folder, does not exist. */
export function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';
}

/** The system's error code, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
