/** Validates paths inside a volume or a container, which must not lead out of it. */
import { invalidField, type FieldErrors } from './field-errors.ts';

export function* validateNoStepsBack(path: string, field: string): FieldErrors {
  // One error suffices, however often the path steps back.
  if (path.split('/').includes('..')) yield invalidField(field, path, "must not contain '..'");
}

/** A relative path without `..`. */
export function* validateDescendingPath(path: string, field: string): FieldErrors {
  if (path.startsWith('/')) yield invalidField(field, path, 'must be a relative path');
  yield* validateNoStepsBack(path, field);
}

/**
 * The same for files that the kubelet writes into a volume. The kubelet's own links there begin with two
 * dots, so the path may not.
 */
export function* validateFilePath(path: string, field: string): FieldErrors {
  yield* validateDescendingPath(path, field);
  if (path.startsWith('..') && !path.startsWith('../')) {
    yield invalidField(field, path, "must not start with '..'");
  }
}
