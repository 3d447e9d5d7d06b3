import { expect, test } from 'vitest';
import { prometheusText } from '../../lib/metrics/exposition.ts';
import { Registry } from '../../lib/metrics/registry.ts';
import { VirtualClock } from '../../../test/support/virtual-clock.ts';
import { ClientCertificateMetrics, ServingCertificateMetrics } from './certificate-metrics.ts';

function linesOf(registry: Registry): readonly string[] {
  return prometheusText
    .expose(registry)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#') && !line.includes('_bucket'));
}

test('the remaining lifetime is computed when it is read, and without a certificate it is infinite', async () => {
  const clock = new VirtualClock();
  const registry = new Registry();
  let held: { notAfterMs: number } | null = null;
  const client = new ClientCertificateMetrics(registry, clock, () => held);
  expect(linesOf(registry)).toEqual([
    'kubelet_certificate_manager_client_expiration_renew_errors 0',
    'kubelet_certificate_manager_client_ttl_seconds +Inf',
  ]);
  held = { notAfterMs: clock.now() + 90_500 };
  client.failed();
  await clock.pass(30_000);
  expect(linesOf(registry)).toEqual([
    'kubelet_certificate_manager_client_expiration_renew_errors 1',
    'kubelet_certificate_manager_client_ttl_seconds 60',
  ]);
  await clock.pass(100_000);
  expect(linesOf(registry)[1]).toBe('kubelet_certificate_manager_client_ttl_seconds -39');
});

test('the lifetimes of serving certificates are counted from the second on', () => {
  const registry = new Registry();
  const serving = new ServingCertificateMetrics(registry, new VirtualClock(), () => null);
  serving.rotated(null);
  serving.rotated(3600);
  serving.failed();
  expect(linesOf(registry)).toEqual([
    'kubelet_certificate_manager_server_rotation_seconds_sum 3600',
    'kubelet_certificate_manager_server_rotation_seconds_count 1',
    'kubelet_certificate_manager_server_ttl_seconds +Inf',
    'kubelet_server_expiration_renew_errors 1',
  ]);
});
