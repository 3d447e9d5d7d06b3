/** Validates a pod's DNS config. */
import type { JsonObject } from '../../lib/json.ts';
import {
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../validation/field-errors.ts';
import { readObject, readObjects, readText, readTexts } from '../validation/json-reading.ts';
import { validateIp } from '../validation/ip-addresses.ts';
import { checkSearchDomain } from '../validation/names.ts';

const SERVERS_MAX = 3;
const SEARCHES_MAX = 32;
const SEARCH_LIST_LENGTH_MAX = 2048;

export function* validateDnsConfig(spec: JsonObject, path: string): FieldErrors {
  const config = readObject(spec['dnsConfig']);
  const servers = readTexts(config?.['nameservers']);
  if (spec['dnsPolicy'] === 'None') {
    if (!config) {
      yield required(path, 'must provide `dnsConfig` when `dnsPolicy` is None');
      return;
    }
    if (servers.length === 0) {
      const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
      yield required(`${path}.nameservers`, detail);
      return;
    }
  }
  if (!config) return;
  yield* validateServers(servers, `${path}.nameservers`);
  yield* validateSearches(readTexts(config['searches']), `${path}.searches`);
  for (const [index, option] of readObjects(config['options']).entries()) {
    if (readText(option['name']) !== '') continue;
    yield required(`${path}.options[${index}]`, 'must not be empty');
  }
}

function* validateServers(servers: readonly string[], path: string): FieldErrors {
  if (servers.length > SERVERS_MAX) {
    yield invalidField(path, servers, `must not have more than ${SERVERS_MAX} nameservers`);
  }
  for (const [index, server] of servers.entries()) yield* validateIp(server, `${path}[${index}]`);
}

function* validateSearches(searches: readonly string[], path: string): FieldErrors {
  if (searches.length > SEARCHES_MAX) {
    yield invalidField(path, searches, `must not have more than ${SEARCHES_MAX} search paths`);
  }
  if (Buffer.byteLength(searches.join(' ')) > SEARCH_LIST_LENGTH_MAX) {
    const most = `${SEARCH_LIST_LENGTH_MAX} characters (including spaces) in the search list`;
    yield invalidField(path, searches, `must not have more than ${most}`);
  }
  for (const [index, search] of searches.entries()) {
    if (search === '.') continue;
    const domain = search.replace(/\.$/, '');
    yield* invalidFor(`${path}[${index}]`, domain, checkSearchDomain(domain));
  }
}
