/** What the sources of one volume know of each other: which files are taken. */
import { invalid, type Complaints } from '../validation/complaint.ts';
import type { SpecOptions } from './spec-options.ts';

export interface ProjectionContext {
  /** The path of the volume: where the API complains about files that collide. */
  readonly volumePath: string;
  /** The files that other sources have written. */
  readonly files: Set<string>;
  readonly options: SpecOptions;
}

/** Complains if the file is there already; `shown` is what the API shows as the culprit. */
export function* claimFile(file: string, shown: string, context: ProjectionContext): Complaints {
  const { files, volumePath } = context;
  if (files.has(file)) yield invalid(volumePath, shown, 'conflicting duplicate paths');
  files.add(file);
}
