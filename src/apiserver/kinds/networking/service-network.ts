/**
 * Defines the kinds ServiceCIDR and IPAddress: ranges of cluster IPs, and which Service has each address.
 *
 * They are stored for external controllers. This server allocates from one fixed range, and records addresses
 * only in the Services.
 */
import { checkDns1123Subdomain } from '../../../api/validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { structAt, textAt, valueAt } from '../../objects/field-path.ts';
import { withoutStatus } from '../lifecycle.ts';
import { IMMUTABLE, validateUnchanged } from '../number-rules.ts';
import { AGE, NAME, plainKind, statusSubresource } from '../../objects/plain-kind.ts';
import { checkPathSegment } from '../rbac/rbac-role.ts';
import {
  checkCanonicalIp,
  familyOfCidr,
  validateCanonicalCidr,
} from '../../../api/validation/address-forms.ts';
import {
  invalidField,
  invalidFor,
  required,
  type FieldErrors,
} from '../../../api/validation/field-errors.ts';
import { isGiven, readTexts } from '../../../api/validation/json-reading.ts';

const CIDRS = 'spec.cidrs';
const PARENT = 'spec.parentRef';

export const serviceCidrs = plainKind('networking.k8s.io/v1', {
  kind: 'ServiceCIDR',
  resource: 'servicecidrs',
  subresources: [statusSubresource('ServiceCIDR')],
  rules: {
    prepareForCreate: withoutStatus,
    validate: (object) => [...checkRanges(rangesOf(object))],
    validateUpdate: (object, old) => [...checkRangesUpdate(rangesOf(object), rangesOf(old))],
  },
  columns: [NAME, textColumn('CIDRs', 'The ranges.', (object) => rangesOf(object).join(',')), AGE],
});

export const ipAddresses = plainKind('networking.k8s.io/v1', {
  kind: 'IPAddress',
  resource: 'ipaddresses',
  shortNames: ['ip'],
  rules: {
    checkName: checkCanonicalIp,
    validate: (object) => [...checkParent(object)],
    validateUpdate: (object, old) => [
      ...checkParent(object),
      ...validateUnchanged(object, old, [PARENT]),
    ],
  },
  columns: [NAME, textColumn('ParentRef', 'Whose address it is.', printParent)],
});

function rangesOf(object: JsonObject): readonly string[] {
  return readTexts(valueAt(object, CIDRS));
}

function* checkRanges(ranges: readonly string[]): FieldErrors {
  if (ranges.length === 0) {
    yield required(CIDRS, 'at least one CIDR required');
    return;
  }
  if (ranges.length > 2) {
    yield invalidField(CIDRS, { CIDRs: ranges }, 'may only hold up to 2 values');
    return;
  }
  for (const [index, range] of ranges.entries()) {
    yield* validateCanonicalCidr(range, `${CIDRS}[${index}]`);
  }
  const [first, second] = ranges.map(familyOfCidr);
  if (ranges.length < 2 || first === undefined || first !== second) return;
  const detail =
    'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64';
  yield invalidField(CIDRS, ranges, detail);
}

/** CIDRs cannot be changed or removed; one of the other family may be added. */
function* checkRangesUpdate(ranges: readonly string[], before: readonly string[]): FieldErrors {
  const isJoined = before.length === 1 && ranges.length === 2;
  if (!isJoined && ranges.length !== before.length) {
    yield invalidField(CIDRS, ranges, IMMUTABLE);
    return;
  }
  for (const [index, range] of before.entries()) {
    if (ranges[index] !== range) yield invalidField(`${CIDRS}[${index}]`, ranges[index], IMMUTABLE);
  }
  if (isJoined) yield* checkRanges(ranges);
}

function* checkParent(object: JsonObject): FieldErrors {
  if (!isGiven(valueAt(object, PARENT))) {
    yield required(PARENT);
    return;
  }
  const group = textAt(object, `${PARENT}.group`);
  if (group !== '') yield* invalidFor(`${PARENT}.group`, group, checkDns1123Subdomain(group));
  for (const name of ['resource', 'name', 'namespace'] as const) {
    const [field, value] = [`${PARENT}.${name}`, textAt(object, `${PARENT}.${name}`)];
    if (value !== '') yield* invalidFor(field, value, checkPathSegment(value));
    else if (name !== 'namespace') yield required(field);
  }
}

function printParent(object: JsonObject): string {
  if (!isGiven(valueAt(object, PARENT))) return '<none>';
  const parent = structAt(object, PARENT);
  const [group, resource, namespace, name] = ['group', 'resource', 'namespace', 'name'].map(
    (field) => textAt(parent, field),
  );
  const kind = (group === '' ? `${resource}` : `${resource}.${group}`).toLowerCase();
  return [kind, ...(namespace === '' ? [] : [namespace]), name].join('/');
}
