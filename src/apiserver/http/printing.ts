/** Serializes responses as JSON or YAML, with Warning headers. */
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

/** Serialized only when the text is read: clients in this process take the object. */
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

/**
 * The YAML printer needs a millisecond per kilobyte, so longer responses are sent as JSON, which is valid
 * YAML.
 */
const YAML_CHARS_MAX = 64 * 1024;

/** Loaded at first use: few clients request YAML. */
async function printYaml(body: JsonObject): Promise<string> {
  const json = printObject(body);
  if (json.length > YAML_CHARS_MAX) return json;
  const { stringify } = await import('yaml');
  return stringify(body, { compat: 'yaml-1.1' });
}
