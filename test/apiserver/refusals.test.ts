/** The answers to requests that cannot be parsed, in kube-apiserver's words. */
import { expect, test } from 'vitest';
import { ApiRequests } from '../support/api-requests.ts';

const MAPS = '/api/v1/namespaces/default/configmaps';
const STRATEGIC = 'application/strategic-merge-patch+json';

test.each([
  ['limit=x', 'strconv.ParseInt: parsing "x": invalid syntax'],
  ['timeoutSeconds=', 'strconv.ParseInt: parsing "": invalid syntax'],
  [
    'limit=9223372036854775808',
    'strconv.ParseInt: parsing "9223372036854775808": value out of range',
  ],
  [
    'continue=x',
    `invalid continue token: continue key is not valid: illegal base64 data at input byte 0`,
  ],
  [
    'continue=e30',
    'invalid continue token: continue key is not valid: server does not recognize this encoded version ',
  ],
])('a list with %s is refused', async (query, message) => {
  const api = await ApiRequests.open();
  expect((await api.ask('GET', `${MAPS}?${query}`)).body).toMatchObject({ code: 400, message });
});

test('an update names the object of its path, whether it exists or not', async () => {
  const api = await ApiRequests.open();
  const put = (name: string) => api.ask('PUT', `${MAPS}/a`, { body: { metadata: { name } } });
  expect((await put('b')).body).toMatchObject({
    code: 400,
    message: 'the name of the object (b) does not match the name on the URL (a)',
  });
  expect((await put('')).body).toMatchObject({
    code: 400,
    message: 'the name of the object (a based on URL) was undeterminable: name must be provided',
  });
  expect((await put('a')).code).toBe(404);
});

test.each([
  [{ data: { n: 1 } }, 'map[data:map[n:1]]', 'cannot convert int64 to string'],
  [{ data: { n: true } }, 'map[data:map[n:true]]', 'unrecognized type: string'],
  [{ data: 'x' }, 'map[data:x]', 'cannot restore map from string'],
])('a strategic patch to %j is refused as Go converts it', async (body, shown, why) => {
  const api = await ApiRequests.open();
  await api.ask('POST', MAPS, { body: { metadata: { name: 'a' } } });
  const answer = await api.ask('PATCH', `${MAPS}/a`, { body, contentType: STRATEGIC });
  expect(answer.body).toMatchObject({
    code: 422,
    message: ` "" is invalid: patch: Invalid value: ${JSON.stringify(shown)}: ${why}`,
  });
});
