import { expect, test } from 'vitest';
import type { JsonObject } from '../../../lib/json.ts';
import { defaultVolume } from '../defaults/volume-defaults.ts';
import { STRICT } from '../spec-options.ts';
import { VOLUME_SOURCES } from '../volume-sources.ts';
import { validateVolumes } from './volumes.ts';

function evaluate(...volumes: readonly JsonObject[]) {
  const spec = { volumes: volumes.map(defaultVolume) };
  const { errors, volumes: sound } = validateVolumes(spec, 'volumes', STRICT, 'pod');
  return { errors: errors.map(({ type, field }) => `${type} ${field}`), sound: [...sound.keys()] };
}

test('valid volumes can be mounted, invalid ones cannot', () => {
  const good = { name: 'a', emptyDir: {} };
  expect(evaluate(good, { name: 'a' }, { name: 'B' }, {})).toEqual({
    errors: ['Duplicate volumes[1].name', 'Invalid volumes[2].name', 'Required volumes[3].name'],
    sound: ['a'],
  });
});

test('a volume has one source', () => {
  const both = {
    name: 'v',
    hostPath: { path: '/x' },
    downwardAPI: {},
    cephfs: { monitors: ['m'] },
  };
  expect(evaluate(both).errors).toEqual([
    'Forbidden volumes[0].cephFS',
    'Forbidden volumes[0].downwarAPI',
  ]);
});

test.each(VOLUME_SOURCES.map((source) => [source]))('an empty %s can be validated', (source) => {
  const { errors } = evaluate({ name: 'v', [source]: {} });
  const mayBeEmpty = ['emptyDir', 'downwardAPI', 'projected'].includes(source);
  expect(errors.length > 0).toBe(!mayBeEmpty);
});

test('two sources of one volume cannot write the same file', () => {
  const item = { key: 'k', path: 'same' };
  const sources = [
    { secret: { name: 's', items: [item] } },
    { configMap: { name: 'c', items: [item] } },
  ];
  expect(evaluate({ name: 'v', projected: { sources } }).errors).toEqual([
    'Invalid volumes[0].projected',
  ]);
});

test('the claim of an ephemeral volume belongs to it alone', () => {
  const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const ephemeral = { name: 'e', ephemeral: { volumeClaimTemplate: { spec } } };
  const claim = { name: 'c', persistentVolumeClaim: { claimName: 'pod-e' } };
  expect(evaluate(ephemeral, claim).errors).toEqual([
    'Invalid volumes[1].persistentVolumeClaim.claimName',
  ]);
});
