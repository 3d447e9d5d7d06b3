import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../lib/json.ts';
import {
  annotationsOf,
  lastRevision,
  nextRevision,
  revisionNumber,
  withRevision,
} from './revision.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const HISTORY = 'deployment.kubernetes.io/revision-history';

function set(revision: string): JsonObject {
  return { metadata: { name: `set-${revision}`, annotations: { [REVISION]: revision } } };
}

describe('revisions', () => {
  test('are exact, however large', () => {
    expect(revisionNumber(set('3546343826724305832'))).toBe(3546343826724305832n);
    expect(nextRevision([set('3546343826724305832'), set('7')])).toBe(3546343826724305833n);
    expect(lastRevision([set('3546343826724305832'), set('3546343826724305833')])).toBe(
      3546343826724305832n,
    );
  });

  test('that are absent or no 64-bit integers are none', () => {
    for (const text of ['', '-1', '1.5', 'x', '9223372036854775808', '1'.repeat(40)]) {
      expect(revisionNumber(set(text))).toBe(0n);
    }
    expect(nextRevision([])).toBe(1n);
    expect(lastRevision([set('4')])).toBe(0n);
  });

  test('end with the last 64-bit integer, which repeats', () => {
    const last = set('9223372036854775807');
    expect(nextRevision([last])).toBe(9223372036854775807n);
    expect(withRevision(last, {}, nextRevision([last]))).toBe(last);
  });

  test('that are higher are written, with the one before in the history', () => {
    const after = withRevision(set('3'), {}, 3546343826724305833n);
    expect(annotationsOf(after)).toEqual({ [REVISION]: '3546343826724305833', [HISTORY]: '3' });
    expect(withRevision(after, {}, 4n)).toBe(after);
  });
});
