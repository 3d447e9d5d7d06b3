/** Validates the address of a webhook: an HTTPS URL, or a Service of the cluster. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readNumber, readText } from '../../../api/validation/json-reading.ts';
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';

const FORM = '; desired format: https://host[/path]';
const PORT_MAX = 65_535;

export function* checkWebhookUrl(text: string, path: string): FieldErrors {
  if (!URL.canParse(text)) {
    yield required(path, `url must be a valid URL${FORM}`);
    return;
  }
  const { protocol, username, password, hash, search } = new URL(text);
  if (protocol !== 'https:') {
    const detail = `'https' is the only allowed URL scheme${FORM}`;
    yield invalidField(path, protocol.slice(0, -1), detail);
  }
  if (username !== '' || password !== '') {
    yield invalidField(path, username, 'user information is not permitted in the URL');
  }
  if (hash !== '') {
    yield invalidField(path, hash.slice(1), 'fragments are not permitted in the URL');
  }
  if (search !== '') {
    yield invalidField(path, search.slice(1), 'query parameters are not permitted in the URL');
  }
}

export function* checkWebhookService(service: JsonObject, path: string): FieldErrors {
  for (const name of ['name', 'namespace'] as const) {
    if (readText(service[name]) === '') yield required(`${path}.${name}`);
  }
  const port = readNumber(service['port']);
  if (isGiven(service['port']) && (port < 1 || port > PORT_MAX)) {
    const detail = `port is not valid: must be between 1 and ${PORT_MAX}, inclusive`;
    yield invalidField(`${path}.port`, port, detail);
  }
  yield* checkServicePath(readText(service['path']), `${path}.path`);
}

function* checkServicePath(text: string, path: string): FieldErrors {
  if (text === '' || text === '/') return;
  if (text === '//') {
    yield invalidField(path, text, 'segment[0] may not be empty');
    return;
  }
  if (!text.startsWith('/')) yield invalidField(path, text, "must start with a '/'");
  const segments = text.slice(1).replace(/\/$/, '').split('/');
  for (const [index, segment] of segments.entries()) {
    if (segment === '') {
      yield invalidField(path, text, `segment[${index}] may not be empty`);
      continue;
    }
    const sentences = checkDns1123Subdomain(segment);
    yield* invalidFor(
      path,
      text,
      sentences.map((one) => `segment[${index}]: ${one}`),
    );
  }
}
