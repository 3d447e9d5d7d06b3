import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pod } from '../../../test/support/pods.ts';
import type { Pod } from '../../api/pod.ts';
import { CONFIG_HASH, CONFIG_MIRROR } from './config-annotations.ts';
import { NodePodManager } from './pod-manager.ts';

function mirror(name: string, uid: string): Pod {
  const image = pod(name, { uid });
  return { ...image, metadata: { ...image.metadata, annotations: { [CONFIG_MIRROR]: 'hash' } } };
}

function withHash(one: Pod, hash: string): Pod {
  const annotations = { ...one.metadata.annotations, [CONFIG_HASH]: hash };
  return { ...one, metadata: { ...one.metadata, annotations } };
}

function withMirror(one: Pod, hash: string): Pod {
  return { ...one, metadata: { ...one.metadata, annotations: { [CONFIG_MIRROR]: hash } } };
}

describe('pods of all sources', () => {
  test('are found by UID, by name and by full name', () => {
    const manager = new NodePodManager();
    const web = pod('web', { uid: '1', namespace: 'work' });
    manager.update(web);
    expect(manager.find('1')).toEqual({ pod: web });
    expect(manager.findByName({ namespace: 'work', name: 'web' })?.pod).toBe(web);
    expect(manager.findByFullName('web_work')?.pod).toBe(web);
    expect(manager.findByFullName('web_default')).toBeUndefined();
    manager.remove(web);
    expect([manager.find('1'), manager.findByFullName('web_work')]).toEqual([undefined, undefined]);
  });

  test('the newest version counts', () => {
    const manager = new NodePodManager();
    manager.update(pod('web', { uid: '1' }));
    const newer = pod('web', { uid: '1', phase: 'Running' });
    manager.update(newer);
    expect(manager.pods()).toEqual([newer]);
  });

  test('a late removal does not take the name from the successor', () => {
    const manager = new NodePodManager();
    const [old, young] = [pod('web', { uid: '1' }), pod('web', { uid: '2' })];
    manager.update(old);
    manager.update(young);
    manager.remove(old);
    expect(manager.findByFullName('web_default')?.pod).toBe(young);
  });
});

test('a mirror still shows how its static pod ends, until another one takes the name (KL-61)', () => {
  const manager = new NodePodManager();
  const [old, young] = ['1', '2'].map((uid) => pod('web', { uid, static: true }));
  const image = mirror('web', 'image');
  for (const one of [old, image]) manager.update(one as Pod);
  manager.remove(old as Pod);
  expect([manager.mirrorOf('1'), manager.sourceUidOf('image')]).toEqual([image, '1']);
  expect(manager.orphanedMirrors()).toEqual([image]);
  manager.update(young as Pod);
  expect([manager.mirrorOf('1'), manager.mirrorOf('2')]).toEqual([undefined, image]);
  manager.remove(image);
  expect([manager.mirrorOf('2'), manager.sourceUidOf('image')]).toEqual([undefined, 'image']);
});

describe('a mirror that waits to be replaced (KL-60)', () => {
  const [old, young] = ['1', '2'].map((uid) => withHash(pod('web', { uid, static: true }), uid));
  const ofOld = withMirror(mirror('web', 'image'), '1');

  test('shows how its own pod ends, and nothing of the next one', () => {
    const manager = new NodePodManager();
    for (const one of [old, ofOld]) manager.update(one as Pod);
    manager.remove(old as Pod);
    manager.update(young as Pod);
    expect(manager.find('2')).toEqual({ pod: young, mirrorPod: ofOld });
    expect([manager.mirrorOf('1'), manager.mirrorOf('2')]).toEqual([ofOld, undefined]);
    expect(manager.sourceUidOf('image')).toBe('1');
    const ofYoung = withMirror(mirror('web', 'next'), '2');
    manager.remove(ofOld);
    manager.update(ofYoung);
    expect([manager.mirrorOf('1'), manager.mirrorOf('2')]).toEqual([undefined, ofYoung]);
  });

  test('shows no pod after a restart that found another manifest', () => {
    const manager = new NodePodManager();
    for (const one of [ofOld, young]) manager.update(one as Pod);
    expect([manager.mirrorOf('2'), manager.sourceUidOf('image')]).toEqual([undefined, 'image']);
    expect(manager.find('2')?.mirrorPod).toBe(ofOld);
    expect([...manager.uidTranslations().mirrorOf]).toEqual([['2', null]]);
  });

  test('shows nothing more of a pod that has another hash and the same UID', () => {
    const manager = new NodePodManager();
    for (const one of [old, ofOld]) manager.update(one as Pod);
    manager.update(withHash(old as Pod, 'another'));
    expect([manager.mirrorOf('1'), manager.sourceUidOf('image')]).toEqual([undefined, 'image']);
  });
});

describe('mirrors (KL-61)', () => {
  const web = pod('web', { uid: 'static', static: true });
  const image = mirror('web', 'image');

  test.each([
    ['the static pod', [web, image]],
    ['the mirror', [image, web]],
  ])('make a pair, even if %s comes first', (_first, pods) => {
    const manager = new NodePodManager();
    for (const one of pods) manager.update(one);
    expect(manager.find('static')).toEqual({ pod: web, mirrorPod: image });
    expect(manager.sourceUidOf('image')).toBe('static');
    expect(manager.findPair(image)).toEqual({ pod: web, mirrorPod: image, wasMirror: true });
    expect(manager.findPair(web)).toEqual({ pod: web, mirrorPod: image, wasMirror: false });
    expect(manager.orphanedMirrors()).toEqual([]);
  });

  test('are never returned as pods', () => {
    const manager = new NodePodManager();
    manager.update(image);
    expect([manager.find('image'), manager.findByFullName('web_default')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(manager.pods()).toEqual([]);
    expect(manager.mirrorPods()).toEqual([image]);
    expect(manager.orphanedMirrors()).toEqual([image]);
    expect(manager.findPair(image)).toEqual({ mirrorPod: image, wasMirror: true });
  });

  test('any other UID is returned as it is', () => {
    const manager = new NodePodManager();
    manager.update(image);
    expect(['image', 'unknown', ''].map((uid) => manager.sourceUidOf(uid))).toEqual([
      'image',
      'unknown',
      '',
    ]);
  });

  test('every static pod is in the translations, with or without a mirror', () => {
    const manager = new NodePodManager();
    const alone = pod('alone', { static: true });
    for (const one of [web, image, alone, pod('api'), mirror('orphan', 'o')]) manager.update(one);
    const { mirrorOf, sourceOf } = manager.uidTranslations();
    expect([...mirrorOf]).toEqual([
      ['static', 'image'],
      ['alone', null],
    ]);
    expect([...sourceOf]).toEqual([['image', 'static']]);
    expect(manager.staticPods().map(({ pod: { metadata } }) => metadata.name)).toEqual([
      'web',
      'alone',
    ]);
  });

  test('a static pod that changed keeps the mirror of its name', () => {
    const manager = new NodePodManager();
    manager.update(web);
    manager.update(image);
    const changed = pod('web', { uid: 'changed', static: true });
    manager.remove(web);
    manager.update(changed);
    expect(manager.sourceUidOf('image')).toBe('changed');
  });
});

test('in any order of updates, pairs are the mirrors and pods of one name, until the mirror goes', () => {
  const updates = fc.record({
    name: fc.constantFrom('a', 'b'),
    isMirror: fc.boolean(),
    isGone: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(updates), (history) => {
      const manager = new NodePodManager();
      const model = new Set<string>();
      const pairs = new Set<string>();
      for (const { name, isMirror, isGone } of history) {
        const uid = `${isMirror ? 'mirror' : 'static'}-${name}`;
        const one = isMirror ? mirror(name, uid) : pod(name, { uid, static: true });
        if (isGone) manager.remove(one);
        else manager.update(one);
        if (isGone) model.delete(uid);
        else model.add(uid);
        if (isGone && isMirror) pairs.delete(name);
        if (model.has(`static-${name}`) && model.has(`mirror-${name}`)) pairs.add(name);
      }
      for (const name of ['a', 'b']) {
        const [has, hasMirror] = [model.has(`static-${name}`), model.has(`mirror-${name}`)];
        expect(manager.find(`static-${name}`) !== undefined).toBe(has);
        expect(manager.sourceUidOf(`mirror-${name}`)).toBe(
          pairs.has(name) ? `static-${name}` : `mirror-${name}`,
        );
        expect(manager.find(`static-${name}`)?.mirrorPod !== undefined).toBe(has && hasMirror);
      }
    }),
  );
});
