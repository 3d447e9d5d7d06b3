/** The names of a custom kind: each must fit into a path, and a list is not called like its items. */
import type { JsonObject } from '../../../lib/json.ts';
import { invalid, type Complaints } from '../../kinds/validation/complaint.ts';
import { readText, readTexts } from '../../kinds/validation/json-reading.ts';
import { checkDns1035Label } from './dns-1035.ts';

export function* validateNames(names: JsonObject, place: string): Complaints {
  for (const field of ['plural', 'singular']) yield* validateLabel(names, field, place);
  for (const field of ['kind', 'listKind']) yield* validateMixedCase(names, field, place);
  yield* validateLabels(names, 'shortNames', place);
  const [kind, listKind] = [readText(names['kind']), readText(names['listKind'])];
  if (kind !== '' && kind === listKind) {
    yield invalid(`${place}.listKind`, listKind, 'kind and listKind may not be the same');
  }
  yield* validateLabels(names, 'categories', place);
}

function* validateLabel(names: JsonObject, field: string, place: string): Complaints {
  const name = readText(names[field]);
  const faults = checkDns1035Label(name);
  if (name !== '' && faults.length > 0) yield invalid(`${place}.${field}`, name, faults.join(','));
}

function* validateMixedCase(names: JsonObject, field: string, place: string): Complaints {
  const name = readText(names[field]);
  const faults = checkDns1035Label(name.toLowerCase());
  if (name === '' || faults.length === 0) return;
  const detail = `may have mixed case, but should otherwise match: ${faults.join(',')}`;
  yield invalid(`${place}.${field}`, name, detail);
}

function* validateLabels(names: JsonObject, field: string, place: string): Complaints {
  for (const [index, name] of readTexts(names[field]).entries()) {
    const faults = checkDns1035Label(name);
    if (faults.length > 0) yield invalid(`${place}.${field}[${index}]`, name, faults.join(','));
  }
}
