/** State that the sources of one volume share: which files are taken. */
import { invalidField, type FieldErrors } from '../../validation/field-errors.ts';
import type { SpecOptions } from '../spec-options.ts';

export interface ProjectionContext {
  /** The path of the volume, under which the API reports colliding files. */
  readonly volumePath: string;
  /** The files of earlier sources. */
  readonly files: Set<string>;
  readonly options: SpecOptions;
}

/** Reports the file if it is taken already; `shown` is the value in the error. */
export function* claimFile(file: string, shown: string, context: ProjectionContext): FieldErrors {
  const { files, volumePath } = context;
  if (files.has(file)) yield invalidField(volumePath, shown, 'conflicting duplicate paths');
  files.add(file);
}
