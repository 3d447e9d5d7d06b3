/** Finds Kubernetes' own programs, or says how to get them. */
import { copyFileSync, existsSync, linkSync } from 'node:fs';
import { clusterMissing } from '../../../scripts/cluster/errors.ts';
import { programPath, PROGRAMS, type Program } from '../../../scripts/cluster/cache-folder.ts';

export function findProgram(program: Program): string {
  requirePrograms([program]);
  return programPath(program, process.env);
}

export function requirePrograms(programs: readonly Program[] = PROGRAMS): void {
  const missing = programs.filter((program) => !existsSync(programPath(program, process.env)));
  if (missing.length > 0) throw clusterMissing({ missing });
}

/** Copies one to where an ordinary user can read it. */
export function lendProgram(program: Program, file: string): void {
  const found = findProgram(program);
  try {
    linkSync(found, file);
  } catch {
    copyFileSync(found, file);
  }
}
