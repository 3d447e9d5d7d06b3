/** Records which files the sources of one projected volume write, to find duplicates. */
import { invalidField, type FieldErrors } from '../../validation/field-errors.ts';
import type { SpecOptions } from '../spec-options.ts';

export interface ProjectionContext {
  /** The field path of the volume, under which the API reports duplicate files. */
  readonly volumePath: string;
  /** The files that earlier sources write. */
  readonly files: Set<string>;
  readonly options: SpecOptions;
}

/** Yields an error if another source already writes the file; `shown` is the value in the error. */
export function* claimFile(file: string, shown: string, context: ProjectionContext): FieldErrors {
  const { files, volumePath } = context;
  if (files.has(file)) yield invalidField(volumePath, shown, 'conflicting duplicate paths');
  files.add(file);
}
