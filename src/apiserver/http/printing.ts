/** Responses as text: JSON or YAML, with warnings in their header. */
import type { JsonObject } from '../../lib/json.ts';
import type { ApiResponse } from '../../ports/api/http-handler.ts';
import type { Answer } from '../registry/call.ts';
import type { AnswerForm } from '../requests/negotiation.ts';
import { printObject } from '../objects/object-text.ts';
import { cutWarnings, warningHeader } from './warnings.ts';
import { EventReader } from '../flow/event-reader.ts';

export function printAnswer(
  code: number,
  body: Answer['body'],
  { encoding }: AnswerForm,
  warnings: readonly string[] = [],
): ApiResponse | Promise<ApiResponse> {
  const headers: (readonly [string, string])[] = [
    ['content-type', `application/${encoding}`],
    ['cache-control', 'no-cache, private'],
  ];
  for (const warning of cutWarnings(warnings)) {
    const header = warningHeader(warning);
    if (header !== null) headers.push(['warning', header]);
  }
  if (body instanceof ReadableStream) return { status: code, headers, body };
  if (body instanceof EventReader) return { status: code, headers, body: null, events: body };
  if (encoding === 'json') return new JsonAnswer(code, headers, body);
  return printYaml(body).then((printed) => ({ status: code, headers, body: printed }));
}

/** Its text is made when it is read: clients in this process take the object. */
class JsonAnswer implements ApiResponse {
  readonly status: number;
  readonly headers: ApiResponse['headers'];
  readonly object: JsonObject;

  constructor(status: number, headers: ApiResponse['headers'], object: JsonObject) {
    this.status = status;
    this.headers = headers;
    this.object = object;
  }

  get body(): string {
    return printObject(this.object);
  }
}

/** The YAML printer needs a millisecond for a kilobyte. Longer answers are sent as JSON, which is YAML. */
const YAML_CHARS_MAX = 64 * 1024;

/** Few clients ask for YAML, so its printer is not loaded at the start. */
async function printYaml(body: JsonObject): Promise<string> {
  const json = printObject(body);
  if (json.length > YAML_CHARS_MAX) return json;
  const { stringify } = await import('yaml');
  return stringify(body, { compat: 'yaml-1.1' });
}
