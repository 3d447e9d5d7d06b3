/** Addresses and node ports of Services that webhooks are asked about. */
import { expect, test, vi } from 'vitest';
import { structAt } from '../../../src/apiserver/objects/field-path.ts';
import { seededRandom } from '../../../src/platform/seeded-random.ts';
import {
  patchWith,
  ruleFor,
  WebhookHarness,
  type Answering,
  type Reply,
} from './webhook-harness.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const RULES = { rules: [ruleFor('services', ['CREATE'])] };

/** Always chooses the first that is free: two Services that see the same ones free choose the same. */
function open(answer: Answering): Promise<WebhookHarness> {
  return WebhookHarness.open(answer, { ...seededRandom(1), next: () => 0 });
}

function create(harness: WebhookHarness, name: string, query = ''): Promise<Reply> {
  const spec = { type: 'NodePort', ports: [{ port: 80 }] };
  return harness.send('POST', `${SERVICES}${query}`, { metadata: { name }, spec });
}

test('a mutating webhook sees none yet, and a validating one those that the Service gets', async () => {
  const harness = await open((_, path) =>
    path.startsWith('/a')
      ? patchWith([{ op: 'add', path: '/spec/ports/0/nodePort', value: 30_123 }])
      : { allowed: true },
  );
  await harness.configure('Mutating', RULES, 'a');
  await harness.configure('Validating', RULES, 'b');
  const { code, body } = await create(harness, 'x');
  expect([code, body.message]).toEqual([201, undefined]);
  const [mutating, validating] = harness.reviews.map(({ request }) => request.object['spec']);
  expect(mutating).not.toHaveProperty('clusterIP');
  expect(body['spec']).toMatchObject({ ports: [{ nodePort: 30_123 }] });
  expect(validating).toEqual(body['spec']);
});

test.each(['Mutating', 'Validating'] as const)(
  'two Services that wait for a %s webhook at the same time get different ones',
  async (kind) => {
    // The calls are never answered, and are ignored after their time.
    const harness = await open(() => null);
    await harness.configure(kind, { ...RULES, failurePolicy: 'Ignore', timeoutSeconds: 1 });
    const both = [create(harness, 'x'), create(harness, 'y')];
    await vi.waitFor(() => expect(harness.reviews).toHaveLength(2));
    await harness.clock.pass(1000);
    const [x, y] = await Promise.all(both);
    expect([x?.code, y?.code]).toEqual([201, 201]);
    const of = (reply?: Reply) => structAt(reply?.body ?? {}, 'spec');
    expect(of(x)['clusterIP']).not.toBe(of(y)['clusterIP']);
    expect(of(x)['ports']).not.toEqual(of(y)['ports']);
  },
);

test('a Service that is refused gives back what was chosen for it', async () => {
  const harness = await open(({ request }) => ({ allowed: request['name'] !== 'no' }));
  const spec = async (name: string) => structAt((await create(harness, name)).body, 'spec');
  await harness.configure('Validating', RULES);
  expect((await create(harness, 'no')).code).toBe(400);
  const chosen = structAt(harness.reviews[0]?.request.object ?? {}, 'spec');
  const { clusterIP, ports } = await spec('yes');
  expect([clusterIP, ports]).toEqual([chosen['clusterIP'], chosen['ports']]);
});
