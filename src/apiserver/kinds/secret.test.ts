import { describe, expect, it } from 'vitest';
import { ApiDesk, complaintsOf, TABLE } from '../../../test/support/api-desk.ts';
import type { JsonObject } from '../../lib/json.ts';

const PATH = '/api/v1/namespaces/default/secrets';
const encode = (text: string): string => Buffer.from(text).toString('base64');

async function create(
  secret: JsonObject,
): Promise<{ desk: ApiDesk; complaints: readonly string[] }> {
  const desk = await ApiDesk.open();
  const body = { metadata: { name: 's' }, ...secret };
  return { desk, complaints: complaintsOf(await desk.ask('POST', PATH, { body })) };
}

describe('a secret', () => {
  it('turns texts into data, and they win over data of the same name', async () => {
    const { desk } = await create({
      data: { a: encode('1'), b: encode('2') },
      stringData: { a: '3' },
    });
    const { body } = await desk.ask('GET', `${PATH}/s`);
    expect(body).toMatchObject({ type: 'Opaque', data: { a: encode('3'), b: encode('2') } });
    expect(body).not.toHaveProperty('stringData');
  });

  it.each([
    ['kubernetes.io/tls', {}, ['data[tls.crt]: Required value', 'data[tls.key]: Required value']],
    [
      'kubernetes.io/basic-auth',
      {},
      ['data[username]: Required value', 'data[password]: Required value'],
    ],
    ['kubernetes.io/basic-auth', { username: 'u' }, ['accepted']],
    ['kubernetes.io/ssh-auth', {}, ['data[ssh-privatekey]: Required value']],
    ['kubernetes.io/dockerconfigjson', {}, ['data[.dockerconfigjson]: Required value']],
    ['kubernetes.io/dockerconfigjson', { '.dockerconfigjson': '{}' }, ['accepted']],
    [
      'kubernetes.io/dockercfg',
      { '.dockercfg': 'no' },
      [expect.stringContaining('data[.dockercfg]: Invalid value: "<secret contents redacted>"')],
    ],
    [
      'kubernetes.io/service-account-token',
      {},
      ['metadata.annotations[kubernetes.io/service-account.name]: Required value'],
    ],
    ['example.com/own', {}, ['accepted']],
    ['constructor', {}, ['accepted']],
  ])('of type %s with %j is judged by its keys', async (type, stringData, expected) => {
    expect((await create({ type, stringData })).complaints).toEqual(expected);
  });

  it('keeps its type for ever, and everything once it is immutable', async () => {
    const { desk } = await create({ stringData: { a: '1' } });
    expect(complaintsOf(await desk.merge(`${PATH}/s`, { type: 'Other' }))).toEqual([
      'type: Invalid value: "Other": field is immutable',
    ]);
    await desk.merge(`${PATH}/s`, { immutable: true });
    expect(complaintsOf(await desk.merge(`${PATH}/s`, { stringData: { a: '2' } }))).toEqual([
      'data: Forbidden: field is immutable when `immutable` is set',
    ]);
  });

  it('is not larger than a megabyte, and has keys that can be files', async () => {
    const { complaints } = await create({ stringData: { a: 'x'.repeat(1024 * 1024 + 1) } });
    expect(complaints).toEqual(['data: Too long: may not be more than 1048576 bytes']);
    const { complaints: others } = await create({ stringData: { '..': 'x' } });
    expect(others).toEqual(['data[..]: Invalid value: "..": must not be \'..\'']);
  });

  it('shows how much it holds, and is found by its type', async () => {
    const { desk } = await create({ stringData: { a: '1', b: '2' } });
    const found = `${PATH}?fieldSelector=type%3DOpaque`;
    const { body } = await desk.ask('GET', found, { accept: TABLE });
    expect(body).toMatchObject({ rows: [{ cells: ['s', 'Opaque', 2, '0s'] }] });
  });
});
