/** Finds Kubernetes' own programs, or says how to get them. */
import { copyFileSync, existsSync, linkSync } from 'node:fs';
import { clusterMissing } from '../../../scripts/cluster/errors.ts';
import { programPath, PROGRAMS, type Program } from '../../../scripts/cluster/place.ts';

export function findProgram(program: Program): string {
  requirePrograms([program]);
  return programPath(program, process.env);
}

export function requirePrograms(programs: readonly Program[] = PROGRAMS): void {
  const missing = programs.filter((program) => !existsSync(programPath(program, process.env)));
  if (missing.length > 0) throw clusterMissing({ missing });
}

/** Puts one where an ordinary user comes to: the programs lie elsewhere. */
export function lendProgram(program: Program, file: string): void {
  const found = findProgram(program);
  try {
    linkSync(found, file);
  } catch {
    copyFileSync(found, file);
  }
}
