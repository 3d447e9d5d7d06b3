/**
 * Validates IP addresses as strictly as Kubernetes v1.36: ambiguous forms that old versions accepted (leading
 * zeros, IPv4 inside IPv6) are refused unless the old object had them.
 */
import { parseIp } from '../../lib/ip.ts';
import { invalidField, type FieldErrors } from './field-errors.ts';

export function* validateIp(
  value: string,
  field: string,
  before: readonly string[] = [],
): FieldErrors {
  if (before.includes(value)) return;
  const address = parseIp(value);
  if (!address) {
    yield invalidField(
      field,
      value,
      'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    );
    return;
  }
  if (hasLeadingZeros(value)) yield invalidField(field, value, 'must not have leading 0s');
  else if (address.family === 4 && value.includes(':')) {
    yield invalidField(field, value, 'must not be an IPv4-mapped IPv6 address');
  }
}

/** A warning for addresses in a form that later versions will refuse. */
export function* warnAboutIp(value: string, field: string): Generator<string, void> {
  const address = parseIp(value);
  if (!address) return;
  if (hasLeadingZeros(value) || (address.family === 4 && value.includes(':'))) {
    const [was, use] = [JSON.stringify(value), JSON.stringify(address.text)];
    yield `${field}: non-standard IP address ${was} is invalid: use ${use}`;
  } else if (address.family === 6 && address.text !== value) {
    const [was, form] = [JSON.stringify(value), JSON.stringify(address.text)];
    yield `${field}: IPv6 address ${was} should be in RFC 5952 canonical format (${form})`;
  }
}

/** At most one address of each family. `shown` is how the API prints the whole list. */
export function* validateOnePerFamily(
  addresses: readonly string[],
  field: string,
  shown: unknown,
): FieldErrors {
  if (addresses.length < 2) return;
  const families = addresses.map((address) => parseIp(address)?.family);
  const bad = families.indexOf(undefined);
  if (bad >= 0) {
    const why = `invalid IP[${bad}]: ${addresses[bad]}`;
    const detail = `failed to check for dual stack with error:${why}`;
    yield { type: 'Internal', field, detail };
  }
  if (bad < 0 && addresses.length === 2 && families[0] !== families[1]) return;
  yield invalidField(field, shown, 'may specify no more than one IP for each IP family');
}

/** Whether an octet of an IPv4 part has a leading zero. In groups of IPv6 they are harmless. */
function hasLeadingZeros(value: string): boolean {
  return /(?:^|[.:])0\d+\.|\.0\d+$/.test(value);
}
