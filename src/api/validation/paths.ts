/** Paths inside a volume or a container, and where they may not lead. */
import { invalidField, type FieldErrors } from './field-errors.ts';

export function* validateNoStepsBack(path: string, field: string): FieldErrors {
  // One error suffices, however often the path steps back.
  if (path.split('/').includes('..')) yield invalidField(field, path, "must not contain '..'");
}

/** A relative path that stays below its start. */
export function* validateDescendingPath(path: string, field: string): FieldErrors {
  if (path.startsWith('/')) yield invalidField(field, path, 'must be a relative path');
  yield* validateNoStepsBack(path, field);
}

/** The same for files in volumes that the kubelet writes, whose own links begin with two dots. */
export function* validateFilePath(path: string, field: string): FieldErrors {
  yield* validateDescendingPath(path, field);
  if (path.startsWith('..') && !path.startsWith('../')) {
    yield invalidField(field, path, "must not start with '..'");
  }
}
