import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeTempFolder } from '../../../test/support/temp-folder.ts';
import { configzOf } from './configz.ts';
import { readKubeletConfig } from './kubelet-config.ts';

const HEAD = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';

function write(fields: string): string {
  const file = path.join(makeTempFolder(), 'kubelet.yaml');
  writeFileSync(file, `${HEAD}${fields}\n`);
  return file;
}

test('without the section there are no traces', async () => {
  const config = await readKubeletConfig(null);
  expect(config.tracing).toBeNull();
  expect(configzOf(config)['kubeletconfig']).not.toHaveProperty('tracing');
});

test.each([
  ['{}', {}],
  ['{samplingRatePerMillion: 0}', { samplingRatePerMillion: 0 }],
  ['{endpoint: "otel:4318"}', { endpoint: 'otel:4318' }],
  [
    '{endpoint: "https://otel.example/a", samplingRatePerMillion: 1000000}',
    { endpoint: 'https://otel.example/a', samplingRatePerMillion: 1_000_000 },
  ],
])('tracing: %s is read, and shown by /configz', async (fields, tracing) => {
  const config = await readKubeletConfig(write(`tracing: ${fields}`));
  expect(config.tracing).toEqual(tracing);
  expect(configzOf(config)['kubeletconfig']).toMatchObject({ tracing });
});

test.each([
  [
    'tracing: {samplingRatePerMillion: 1000001}',
    'tracing.samplingRatePerMillion must be a whole number from 0 to 1000000',
  ],
  [
    'tracing: {endpoint: "unix:///run/otel.sock"}',
    'tracing.endpoint must be host:port or an http or https URL such as http://localhost:4318, without credentials, query and /v1/traces: podkeep exports OTLP over HTTP and does not speak gRPC',
  ],
  ['tracing: {endpoint: 4318}', 'tracing.endpoint must be a string'],
  ['tracing: {endpont: a}', 'tracing.endpont'],
])('%s is refused by its path', async (fields, problem) => {
  await expect(readKubeletConfig(write(fields))).rejects.toThrow(problem);
});
