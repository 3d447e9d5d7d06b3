/** A receiver of alerts whose certificate is of an authority that the system does not know. */
import { expect, test } from 'vitest';
import { postJson } from '../../src/client/post-json.ts';
import { ListenerHarness, text } from '../support/listener-harness.ts';

test('a receiver is trusted by the authority of its caFile, and by no other', async () => {
  const harness = await ListenerHarness.open(async () => text('', 202));
  const { signal } = new AbortController();
  const request = { url: harness.listener.url, body: '{}' };
  await expect(postJson({ ...request, ca: harness.pki.caCert }, signal)).resolves.toBe(202);
  await expect(postJson(request, signal)).rejects.toThrow(/certificate/);
});
