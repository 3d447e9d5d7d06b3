/**
 * Scrapes `/metrics/resource` of one kubelet. A node reports its own address, so the response is not trusted:
 * both its duration and its size are limited.
 */
import {
  readResourceSamples,
  type ResourceSamples,
} from '../../core/resource-metrics/resource-samples.ts';
import { defineError } from '../../lib/errors.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { KubeletDialer } from '../../ports/api/kubelet-dialer.ts';
import type { Clock } from '../../ports/clock.ts';
import { NO_HEADERS } from '../connect/passed-headers.ts';

/** 500 pods with ten containers each need about 3 MiB. */
const BYTES_MAX = 16 * 1024 * 1024;
const TIMEOUT_MS = 5000;

const scrapeFailed = defineError<{ reason: string }>({
  code: 'KUBELET_SCRAPE_FAILED',
  retry: 'backoff',
  message: ({ reason }) => `the resource metrics of the kubelet cannot be read: ${reason}`,
  hint: () => 'Check that the kubelet runs, and that the API server may read nodes/metrics of it.',
});

/** Rejects with KUBELET_SCRAPE_FAILED, or with the error of the connection. */
export async function scrapeKubelet(
  dialer: KubeletDialer,
  node: JsonObject,
  clock: Clock,
): Promise<ResourceSamples> {
  let cancel = (): void => {};
  const late = new Promise<never>((_resolve, reject) => {
    const reason = `no answer within ${TIMEOUT_MS} ms`;
    cancel = clock.after(TIMEOUT_MS, () => reject(scrapeFailed({ reason })));
  });
  const url = 'https://node/metrics/resource';
  const asked = { method: 'GET', url, headers: NO_HEADERS, body: null };
  const answer = dialer.fetch({ type: 'kubelet', node }, asked);
  try {
    const text = await Promise.race([answer.then((given) => readAnswer(given, late)), late]);
    return readResourceSamples(text, clock.now());
  } finally {
    cancel();
  }
}

async function readAnswer(answer: ApiResponse, late: Promise<never>): Promise<string> {
  const { status, body } = answer;
  if (status !== 200) {
    if (body instanceof ReadableStream) await body.cancel();
    throw scrapeFailed({ reason: `it answered with ${status}` });
  }
  if (body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return readStream(body, late);
}

async function readStream(body: ReadableStream<Uint8Array>, late: Promise<never>): Promise<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return text + decoder.decode();
      bytes += value.byteLength;
      if (bytes > BYTES_MAX) throw scrapeFailed({ reason: `it is longer than ${BYTES_MAX} bytes` });
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
  }
}
