/** What becomes of a webhook's answer besides the decision: audit, limits, dry runs, authorities. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { CA, CONFIG_MAPS, patchWith, WebhookHarness } from './webhook-harness.ts';

const CONFIGURATION = '/admissionregistration.k8s.io/validatingwebhookconfigurations/a';
const MUTATION = 'mutation.webhook.admission.k8s.io/round_0_index_0';

describe('the audit event of a request', () => {
  test('has the annotations of its webhooks, under their names', async () => {
    const auditAnnotations = { why: 'because' };
    const harness = await WebhookHarness.open(() => ({ allowed: true, auditAnnotations }));
    await harness.configure('Validating');
    await harness.create('x');
    expect(await harness.lastAnnotations()).toEqual({ 'a.example.com/why': 'because' });
  });

  test('says which webhook changed the object, and which only could have', async () => {
    const harness = await WebhookHarness.open((_, path) =>
      path.startsWith('/a')
        ? { allowed: true }
        : patchWith([{ op: 'add', path: '/data', value: { a: 'b' } }]),
    );
    await harness.configure('Mutating', {}, 'a');
    await harness.configure('Mutating', {}, 'b');
    await harness.create('x');
    const fact = (name: string, mutated: boolean) =>
      JSON.stringify({ configuration: name, webhook: `${name}.example.com`, mutated });
    expect(await harness.lastAnnotations()).toEqual({
      [MUTATION]: fact('a', false),
      'mutation.webhook.admission.k8s.io/round_0_index_1': fact('b', true),
    });
  });

  test('names a mutating webhook that refused the request', async () => {
    const harness = await WebhookHarness.open(() => ({ allowed: false }));
    await harness.configure('Mutating');
    expect((await harness.create('x')).code).toBe(400);
    expect(Object.keys(await harness.lastAnnotations())).toEqual([MUTATION]);
  });

  test('names a webhook that failed and was ignored', async () => {
    const harness = await WebhookHarness.open(() => ({ uid: 'other' }));
    await harness.configure('Validating', { failurePolicy: 'Ignore' });
    expect((await harness.create('x')).code).toBe(201);
    expect(await harness.lastAnnotations()).toEqual({
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': 'a.example.com',
    });
  });
});

test('an answer that is larger than the limit is a failed call', async () => {
  const padding = 'x'.repeat(8 * 1024 * 1024);
  const harness = await WebhookHarness.open(() => ({ allowed: true, padding }));
  await harness.configure('Validating');
  const { code, body } = await harness.create('x');
  expect([code, body.message]).toEqual([
    500,
    'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: ' +
      `Post "https://127.0.0.1:${harness.port}/a?timeout=10s": the response is larger than 8388608 bytes`,
  ]);
});

describe('a dry run', () => {
  const DRY = `${CONFIG_MAPS}?dryRun=All`;

  test('calls webhooks that have no side effects then', async () => {
    const harness = await WebhookHarness.open(() => ({ allowed: true }));
    await harness.configure('Validating', { sideEffects: 'NoneOnDryRun' });
    expect((await harness.send('POST', DRY, { metadata: { name: 'x' } })).code).toBe(201);
    expect(harness.reviews.map(({ request }) => request['dryRun'])).toEqual([true]);
  });

  test('is refused, and the webhook not called, if it has: a store may hold such webhooks', async () => {
    const harness = await WebhookHarness.open(() => ({ allowed: true }));
    await harness.configure('Validating');
    const stored = harness.store.get(CONFIGURATION)?.value as JsonObject & {
      readonly webhooks: readonly JsonObject[];
    };
    const webhooks = stored.webhooks.map((one) => ({ ...one, sideEffects: 'Unknown' }));
    await harness.store.commit([{ key: CONFIGURATION, make: () => ({ ...stored, webhooks }) }]);
    const { code, body } = await harness.send('POST', DRY, { metadata: { name: 'x' } });
    expect([code, body.message]).toEqual([
      400,
      'admission webhook "a.example.com" does not support dry run',
    ]);
    expect(harness.reviews).toEqual([]);
    expect((await harness.create('x')).code).toBe(201);
  });
});

describe('a CA bundle', () => {
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  const bundleOf = async (text: string) => {
    const harness = await WebhookHarness.open(() => ({ allowed: true }));
    const url = `https://127.0.0.1:${harness.port}/a`;
    const clientConfig = { url, caBundle: encoded(text) };
    const { code } = await harness.configure('Validating', { clientConfig });
    const { body, code: answer } = await harness.create('x');
    return { code, answer, message: body.message };
  };
  const PEM = (content: string): string =>
    `-----BEGIN CERTIFICATE-----\n${content}\n-----END CERTIFICATE-----\n`;

  test.each([
    ['\n', 'unable to parse bytes as PEM block'],
    [PEM('aGVsbG8='), 'failed to parse certificate: x509: malformed certificate'],
    [CA.key, 'no valid certificate authority data seen'],
  ])('without a certificate is stored, and no call succeeds (%#)', async (text, why) => {
    expect(await bundleOf(text)).toEqual({
      code: 201,
      answer: 500,
      message:
        'Internal error occurred: failed calling webhook "a.example.com": could not get REST client: ' +
        `unable to load root certificates: ${why}`,
    });
  });

  test('may hold more than the certificates', async () => {
    const { answer } = await bundleOf(`a comment\n${PEM('aGVsbG8=')}${CA.cert}`);
    expect(answer).toBe(201);
  });
});
