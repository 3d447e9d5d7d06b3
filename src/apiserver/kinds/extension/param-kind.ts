/** Validates the paramKind of a policy. */
import type { JsonObject } from '../../../lib/json.ts';
import { invalidField, required, type FieldErrors } from '../../../api/validation/field-errors.ts';
import { readText } from '../../../api/validation/json-reading.ts';
import { checkDns1035Label } from '../../../api/dns-1035.ts';
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';

export function* checkParamKind(paramKind: JsonObject, path: string): FieldErrors {
  const apiVersion = readText(paramKind['apiVersion']);
  if (apiVersion === '') yield required(`${path}.apiVersion`);
  else yield* checkApiVersion(apiVersion, `${path}.apiVersion`);
  const kind = readText(paramKind['kind']);
  if (kind === '') yield required(`${path}.kind`);
  else {
    const problems = checkDns1035Label(kind.toLowerCase());
    if (problems.length > 0) {
      const detail = `may have mixed case, but should otherwise match: ${problems.join(',')}`;
      yield invalidField(`${path}.kind`, kind, detail);
    }
  }
}

function* checkApiVersion(apiVersion: string, path: string): FieldErrors {
  const parts = apiVersion === '/' ? ['', ''] : apiVersion.split('/');
  if (parts.length > 2) {
    yield invalidField(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
    return;
  }
  const version = parts.at(-1) ?? '';
  const group = parts.length === 2 ? (parts[0] ?? '') : '';
  const problems = group === '' ? [] : checkDns1123Subdomain(group);
  if (problems.length > 0) yield invalidField(path, group, problems.join(','));
  if (version === '') yield invalidField(path, apiVersion, 'version must be specified');
  else {
    const wrong = checkDns1035Label(version);
    if (wrong.length > 0) yield invalidField(path, version, wrong.join(','));
  }
}
