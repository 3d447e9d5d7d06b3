/** Answers as bytes: JSON or YAML, with warnings in their header. */
import { stringify as formatYaml } from 'yaml';
import type { JsonObject } from '../lib/json.ts';
import type { AnswerForm } from './negotiation.ts';

export function printAnswer(
  code: number,
  body: JsonObject | ReadableStream<Uint8Array>,
  { encoding }: AnswerForm,
  warnings: readonly string[] = [],
): Response {
  const headers = new Headers({
    'content-type': `application/${encoding}`,
    'cache-control': 'no-cache, private',
  });
  for (const warning of warnings) headers.append('warning', `299 - ${JSON.stringify(warning)}`);
  if (body instanceof ReadableStream) return new Response(body, { status: code, headers });
  const printed =
    encoding === 'yaml' ? formatYaml(body, { compat: 'yaml-1.1' }) : JSON.stringify(body);
  return new Response(printed, { status: code, headers });
}
