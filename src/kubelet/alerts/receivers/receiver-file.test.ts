import { expect, test } from 'vitest';
import { YamlFile } from '../yaml-position.ts';
import { readReceivers, type AlertReceiver } from './receiver-file.ts';

function read(receiver: object): readonly AlertReceiver[] {
  const text = JSON.stringify({ receivers: [receiver] });
  return readReceivers(new YamlFile('a.yaml', text).root.fields(['receivers']).get('receivers'));
}

const HTTPS = { name: 'main', type: 'webhook', url: 'https://alerts.example/' };

test('a receiver may have authorities, a token and severities; by default it has none', () => {
  expect(read(HTTPS)).toEqual([{ ...HTTPS, bearerTokenFile: '', caFile: '', severities: [] }]);
  const more = { bearerTokenFile: '/t', caFile: '/ca.pem', severities: ['critical', 'page'] };
  expect(read({ ...HTTPS, ...more })).toEqual([{ ...HTTPS, ...more }]);
});

test.each([
  [
    'authorities without TLS',
    { url: 'http://a.example/', caFile: '/ca.pem' },
    /caFile needs an https url/,
  ],
  ['a severity that is no text', { severities: [{}] }, /severities/],
  ['too many severities', { severities: Array.from({ length: 21 }, String) }, /20/],
  ['an unknown field', { cafile: '/ca.pem' }, /no field "cafile"/],
])('refused: %s', (_what, fields, words) => {
  expect(() => read({ ...HTTPS, ...fields })).toThrow(words);
});
