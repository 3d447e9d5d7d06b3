import { describe, expect, it } from 'vitest';
import { ApiRequests, problemsOf, TABLE } from '../../../../test/support/api-requests.ts';
import type { JsonObject } from '../../../lib/json.ts';

const PATH = '/api/v1/namespaces/default/secrets';
const encode = (text: string): string => Buffer.from(text).toString('base64');

async function create(
  secret: JsonObject,
): Promise<{ api: ApiRequests; problems: readonly string[] }> {
  const api = await ApiRequests.open();
  const body = { metadata: { name: 's' }, ...secret };
  return { api, problems: problemsOf(await api.ask('POST', PATH, { body })) };
}

describe('a secret', () => {
  it('encodes stringData into data, which it overrides', async () => {
    const { api } = await create({
      data: { a: encode('1'), b: encode('2') },
      stringData: { a: '3' },
    });
    const { body } = await api.ask('GET', `${PATH}/s`);
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
  ])('of type %s with %j is validated by its keys', async (type, stringData, expected) => {
    expect((await create({ type, stringData })).problems).toEqual(expected);
  });

  it('has an immutable type, and is immutable as a whole if it says so', async () => {
    const { api } = await create({ stringData: { a: '1' } });
    expect(problemsOf(await api.merge(`${PATH}/s`, { type: 'Other' }))).toEqual([
      'type: Invalid value: "Other": field is immutable',
    ]);
    await api.merge(`${PATH}/s`, { immutable: true });
    expect(problemsOf(await api.merge(`${PATH}/s`, { stringData: { a: '2' } }))).toEqual([
      'data: Forbidden: field is immutable when `immutable` is set',
    ]);
  });

  it('is at most a megabyte, and has keys that can be file names', async () => {
    const { problems } = await create({ stringData: { a: 'x'.repeat(1024 * 1024 + 1) } });
    expect(problems).toEqual(['data: Too long: may not be more than 1048576 bytes']);
    const { problems: others } = await create({ stringData: { '..': 'x' } });
    expect(others).toEqual(['data[..]: Invalid value: "..": must not be \'..\'']);
  });

  it('prints the number of its keys, and is selected by its type', async () => {
    const { api } = await create({ stringData: { a: '1', b: '2' } });
    const found = `${PATH}?fieldSelector=type%3DOpaque`;
    const { body } = await api.ask('GET', found, { accept: TABLE });
    expect(body).toMatchObject({ rows: [{ cells: ['s', 'Opaque', 2, '0s'] }] });
  });
});
