/** Paths inside a volume or a container: where they may not lead. */
import { invalid, type Complaints } from './complaint.ts';

export function* validateNoStepsBack(path: string, field: string): Complaints {
  // One complaint makes the point, however often the path steps back.
  if (path.split('/').includes('..')) yield invalid(field, path, "must not contain '..'");
}

/** A relative path that stays below where it starts. */
export function* validateDescendingPath(path: string, field: string): Complaints {
  if (path.startsWith('/')) yield invalid(field, path, 'must be a relative path');
  yield* validateNoStepsBack(path, field);
}

/** The same for files in volumes that the kubelet writes, whose own links begin with two dots. */
export function* validateFilePath(path: string, field: string): Complaints {
  yield* validateDescendingPath(path, field);
  if (path.startsWith('..') && !path.startsWith('../')) {
    yield invalid(field, path, "must not start with '..'");
  }
}
