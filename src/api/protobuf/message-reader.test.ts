import { describe, expect, test } from 'vitest';
import { structOf } from '../schema/schema.ts';
import { decodeMessage } from './decode.ts';

const hex = (text: string): Uint8Array =>
  Uint8Array.from(text.split(/\s+/).filter(Boolean), (byte) => Number.parseInt(byte, 16));
const decode = (type: string, bytes: string): unknown => decodeMessage(structOf(type), hex(bytes));
const malformed = expect.objectContaining({ code: 'PROTOBUF_MALFORMED' });

describe('what was not sent', () => {
  test('a struct is always there, and a list that is not omitEmpty is null', () => {
    expect(decode('core/v1.Pod', '')).toEqual({
      metadata: {},
      spec: { containers: null },
      status: {},
    });
  });

  test('scalars that are not omitEmpty are zero', () => {
    expect(decode('core/v1.ContainerStatus', '')).toEqual({
      name: '',
      state: {},
      lastState: {},
      ready: false,
      restartCount: 0,
      image: '',
      imageID: '',
    });
  });

  test('a pointer that is not omitEmpty is null', () => {
    expect(decode('core/v1.TypedLocalObjectReference', '')).toEqual({
      apiGroup: null,
      kind: '',
      name: '',
    });
  });

  test('a time is null, but a creation time is left out', () => {
    expect(decode('core/v1.NodeCondition', '')).toMatchObject({ lastHeartbeatTime: null });
    expect(decode('meta/v1.ObjectMeta', '42 00')).toEqual({});
  });

  test('the other special types have a zero of their own', () => {
    expect(decode('core/v1.ResourceFieldSelector', '')).toEqual({ resource: '', divisor: '0' });
    expect(decode('core/v1.TCPSocketAction', '')).toEqual({ port: 0 });
    expect(decode('meta/v1.WatchEvent', '')).toEqual({ type: '', object: null });
    expect(decode('events/v1.EventSeries', '')).toEqual({ count: 0, lastObservedTime: null });
  });

  test('bytes that are not omitEmpty are null, and empty ones are empty', () => {
    expect(decode('certificates/v1.CertificateSigningRequestSpec', '')).toMatchObject({
      request: null,
    });
    expect(decode('certificates/v1.CertificateSigningRequestSpec', '0a 00')).toMatchObject({
      request: '',
    });
  });
});

describe('what was sent', () => {
  test('zero is left out of an omitEmpty field, unless that is a pointer', () => {
    expect(decode('core/v1.Probe', '10 00 38 00')).toEqual({ terminationGracePeriodSeconds: 0 });
    expect(decode('core/v1.SecretVolumeSource', '0a 00 20 00')).toEqual({ optional: false });
  });

  test('the last of many scalars counts', () => {
    expect(decode('core/v1.Probe', '10 05 10 07')).toEqual({ initialDelaySeconds: 7 });
    expect(decode('core/v1.Probe', '10 05 10 00')).toEqual({});
  });

  test('a message in pieces is one message, wherever the pieces stand', () => {
    // exec { command: "a" }, initialDelaySeconds: 5, exec { command: "b" }
    const handlers = '0a 05 0a 03 0a 01 61  10 05  0a 05 0a 03 0a 01 62';
    expect(decode('core/v1.Probe', handlers)).toEqual({
      exec: { command: ['a', 'b'] },
      initialDelaySeconds: 5,
    });
  });

  test('a time in pieces is the last one', () => {
    // expirationTimestamp: seconds 5, then nothing; then nanoseconds without seconds
    const type = 'authentication/v1.TokenRequestStatus';
    expect(decode(type, '12 02 08 05 12 00')).toEqual({ token: '', expirationTimestamp: null });
    expect(decode(type, '12 02 08 05 12 02 10 07')).toEqual({
      token: '',
      expirationTimestamp: '1970-01-01T00:00:00Z',
    });
  });

  test('fields come in any order and are shown in that of Go', () => {
    const probe = decode('core/v1.Probe', '30 03 10 05 0a 04 1a 02 12 00');
    expect(Object.keys(probe as object)).toEqual([
      'tcpSocket',
      'initialDelaySeconds',
      'failureThreshold',
    ]);
  });

  test('numbers in a list come one by one or packed, and may be mixed', () => {
    const type = 'core/v1.PodSecurityContext';
    const all = { supplementalGroups: [1, 300, 2, 3] };
    expect(decode(type, '20 01 20 ac 02 20 02 20 03')).toEqual(all);
    expect(decode(type, '22 05 01 ac 02 02 03')).toEqual(all);
    expect(decode(type, '20 01 22 03 ac 02 02 20 03')).toEqual(all);
  });

  test('a packed list of none is no list', () => {
    expect(decode('core/v1.PodSecurityContext', '22 00')).toEqual({});
    const codes = decode('batch/v1.PodFailurePolicyOnExitCodesRequirement', '1a 00');
    expect(codes).toMatchObject({ values: null });
  });

  test('a packed list stays within its length', () => {
    expect(() => decode('core/v1.PodSecurityContext', '22 02 01 ac 02')).toThrow(malformed);
  });

  test('an empty list in a separate message is distinguished from none', () => {
    const resource = { name: '', singularName: '', namespaced: false, kind: '' };
    expect(decode('meta/v1.APIResource', '')).toEqual({ ...resource, verbs: null });
    expect(decode('meta/v1.APIResource', '22 00')).toEqual({ ...resource, verbs: [] });
    expect(decode('meta/v1.APIResource', '22 06 0a 01 61 0a 01 62')).toEqual({
      ...resource,
      verbs: ['a', 'b'],
    });
  });

  test('inlined messages lie among the fields around them', () => {
    // name: "v", source { emptyDir { medium: "" } }
    expect(decode('core/v1.Volume', '0a 01 76 12 04 12 02 0a 00')).toEqual({
      name: 'v',
      emptyDir: {},
    });
  });

  test('unknown fields are skipped', () => {
    expect(decode('core/v1.Volume', 'c2 3e 02 ff ff 0a 01 76 c0 3e 05')).toEqual({ name: 'v' });
  });

  test('a field of the wrong wire type is refused', () => {
    expect(() => decode('core/v1.Volume', '08 01')).toThrow(malformed);
    expect(() => decode('core/v1.Probe', '12 01 00')).toThrow(malformed);
    expect(() => decode('core/v1.PodSpec', '10 01')).toThrow(malformed);
    expect(() => decode('core/v1.Secret', '10 01')).toThrow(malformed);
  });
});

describe('maps', () => {
  test('the last entry of a key counts', () => {
    const entries = '12 06 0a 01 61 12 01 62  12 06 0a 01 61 12 01 63';
    expect(decode('core/v1.ConfigMap', entries)).toMatchObject({ data: { a: 'c' } });
  });

  test('an entry may lack its key, its value or both, and have them in any order', () => {
    expect(decode('core/v1.ConfigMap', '12 00')).toMatchObject({ data: { '': '' } });
    expect(decode('core/v1.ConfigMap', '12 03 0a 01 61')).toMatchObject({ data: { a: '' } });
    expect(decode('core/v1.ConfigMap', '12 06 12 01 62 0a 01 61')).toMatchObject({
      data: { a: 'b' },
    });
    expect(decode('core/v1.Secret', '12 03 0a 01 61')).toMatchObject({ data: { a: '' } });
    expect(decode('core/v1.ResourceRequirements', '0a 03 0a 01 61')).toEqual({
      limits: { a: '0' },
    });
    expect(decode('policy/v1.PodDisruptionBudgetStatus', '12 03 0a 01 61')).toMatchObject({
      disruptedPods: { a: null },
    });
    expect(decode('authentication/v1.UserInfo', '22 03 0a 01 61')).toEqual({ extra: { a: [] } });
  });

  test('keys of the prototype are plain keys', () => {
    // data: { "__proto__": "p", "constructor": "" }
    const proto = '12 0e 0a 09 5f 5f 70 72 6f 74 6f 5f 5f 12 01 70';
    const constructor = '12 0d 0a 0b 63 6f 6e 73 74 72 75 63 74 6f 72';
    const { data } = decode('core/v1.ConfigMap', `${proto} ${constructor}`) as { data: object };
    expect(Object.entries(data)).toEqual([
      ['__proto__', 'p'],
      ['constructor', ''],
    ]);
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype);
  });
});
