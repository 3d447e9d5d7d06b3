/** The `format` library: `format.dns1123Label().value().validate(self.name)` returns the errors, if any. */
import {
  checkDns1123Label,
  checkDns1123Subdomain,
  checkLabelKey,
  checkLabelValue,
} from '../../api/validation-names.ts';
import { checkDns1035Label } from '../../api/dns-1035.ts';
import { checkOfFormat } from '../../api/values/text-formats.ts';
import { overload, type Overload } from '../overload.ts';
import { ListValue, Opaque, OptionalValue, type FormatParts } from '../value.ts';
import { formatParts, text } from './arguments.ts';

type Check = FormatParts['check'];

/** A name prefix may end in a dash. */
function prefix(check: Check): Check {
  return (value) => check(value.endsWith('-') ? `${value.slice(0, -1)}a` : value);
}

function known(format: string, problem: string): Check {
  return (value) => (checkOfFormat(format)?.(value) ? [] : [problem]);
}

const FORMATS: ReadonlyMap<string, Check> = new Map([
  ['dns1123Label', checkDns1123Label],
  ['dns1123Subdomain', checkDns1123Subdomain],
  ['dns1035Label', checkDns1035Label],
  ['qualifiedName', checkLabelKey],
  ['dns1123LabelPrefix', prefix(checkDns1123Label)],
  ['dns1123SubdomainPrefix', prefix(checkDns1123Subdomain)],
  ['dns1035LabelPrefix', prefix(checkDns1035Label)],
  ['labelValue', checkLabelValue],
  ['uri', known('uri', 'invalid URI for request')],
  ['uuid', known('uuid', 'does not match the UUID format')],
  ['byte', known('byte', 'invalid base64')],
  ['date', known('date', 'invalid date')],
  ['datetime', known('datetime', 'invalid datetime')],
]);

const made = new Map(
  [...FORMATS].map(([name, check]) => [name, new Opaque('Format' as const, { name, check })]),
);

export const formats: readonly Overload[] = [
  ...[...made].map(([name, format]) => overload(`format.${name}(): Format`, () => format)),
  overload('format.named(string): optional<Format>', ([a]) => new OptionalValue(made.get(text(a)))),
  overload('Format.validate(string): optional<list<string>>', ([a, b], budget) => {
    budget.walk(text(b).length);
    const faults = formatParts(a).check(text(b));
    return new OptionalValue(faults.length === 0 ? undefined : new ListValue(faults));
  }),
];
