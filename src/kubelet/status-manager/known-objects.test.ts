import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/pod.ts';
import { podOf } from '../../../test/support/pod-parts.ts';
import { KnownObjects, nameOf } from './known-objects.ts';

const WEB = { namespace: 'default', name: 'web' };

function at(resourceVersion: string | undefined, uid = 'uid-1'): Pod {
  return podOf(
    {},
    { metadata: { uid, ...(resourceVersion !== undefined && { resourceVersion }) } },
  );
}

describe('which of two objects is newer', () => {
  test.each<readonly [string | undefined, string | undefined, 'first' | 'second']>([
    ['1', '2', 'second'],
    ['2', '1', 'first'],
    ['9', '10', 'second'],
    ['10', '9', 'first'],
    ['9007199254740993', '9007199254740992', 'first'],
    ['18446744073709551615', '18446744073709551614', 'first'],
    // The same version means the same object: the last one counts.
    ['5', '5', 'second'],
    // Versions that are no numbers cannot be compared, so the last one counts.
    ['b', 'a', 'second'],
    ['12x', '3', 'second'],
    [undefined, '1', 'second'],
    ['1', undefined, 'second'],
    ['', '', 'second'],
  ])('%s, then %s: the %s is kept', (first, second, kept) => {
    const known = new KnownObjects();
    const objects = { first: at(first), second: at(second) };
    known.learn(objects.first);
    expect(known.learn(objects.second)).toBe(kept === 'second');
    expect(known.find(WEB)).toBe(objects[kept]);
  });

  test('the very same object again is no change', () => {
    const known = new KnownObjects();
    const pod = at('1');
    expect(known.learn(pod)).toBe(true);
    expect(known.learn(pod)).toBe(false);
  });

  test('a new pod under the name replaces the old one', () => {
    const known = new KnownObjects();
    known.learn(at('1', 'uid-1'));
    known.learn(at('2', 'uid-2'));
    expect(known.find(WEB)?.metadata.uid).toBe('uid-2');
    expect(known.learn(at('1', 'uid-1')), 'a late answer about the old one').toBe(false);
    expect(known.find(WEB)?.metadata.uid).toBe('uid-2');
  });
});

describe('names', () => {
  test('namespace and name together find a pod', () => {
    const known = new KnownObjects();
    known.learn(podOf({}, { metadata: { namespace: 'a', name: 'b' } }));
    expect(known.find({ namespace: 'a', name: 'b' })).not.toBeNull();
    expect(known.find({ namespace: 'b', name: 'a' })).toBeNull();
    expect(known.find(WEB)).toBeNull();
  });

  test('a pod without a name has an empty one', () => {
    expect(nameOf({ metadata: {}, spec: { containers: [] } })).toEqual({ namespace: '', name: '' });
  });
});

describe('forgetting', () => {
  test('a pod that is gone is forgotten, one that took its name is not', () => {
    const known = new KnownObjects();
    known.learn(at('2', 'uid-2'));
    known.forget(WEB, 'uid-1');
    expect(known.find(WEB)).not.toBeNull();
    known.forget(WEB, 'uid-2');
    expect(known.find(WEB)).toBeNull();
  });

  test('after that an older object is new again', () => {
    const known = new KnownObjects();
    known.learn(at('7'));
    known.forget(WEB, 'uid-1');
    expect(known.learn(at('3'))).toBe(true);
  });

  test('only the objects of needed pods are kept', () => {
    const known = new KnownObjects();
    for (const name of ['a', 'b', 'c']) known.learn(podOf({}, { metadata: { name, uid: name } }));
    known.keepOnly((uid) => uid === 'b');
    const left = ['a', 'b', 'c'].filter((name) => known.find({ namespace: 'default', name }));
    expect(left).toEqual(['b']);
  });
});
