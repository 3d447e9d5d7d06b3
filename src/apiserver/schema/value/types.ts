/** Validates the type of a value. An integer is a number, and 1.0 is an integer. */
import type { Json } from '../../../lib/json.ts';
import type { Schema } from '../schema.ts';
import { Findings } from './finding.ts';
import { checkedFormat } from '../../../api/values/text-formats.ts';

/** Empty: any type. */
export function typesOf({ type, isIntOrString }: Schema): readonly string[] {
  if (isIntOrString) return ['integer', 'string'];
  return type === '' ? [] : [type];
}

export function checkType(value: Json, schema: Schema, fieldPath: string): Findings {
  const findings = new Findings();
  const types = typesOf(schema);
  if (value === null) {
    if (types.length > 0 && !schema.isNullable) {
      addFault(findings, fieldPath, types.join(','), 'null');
      return findings;
    }
    findings.matches += 1;
    return findings;
  }
  const fault = findFault(value, schema, types);
  if (fault) addFault(findings, fieldPath, ...fault);
  else findings.matches += 1;
  return findings;
}

type Fault = readonly [wanted: string, found: string];

function findFault(value: Json, schema: Schema, types: readonly string[]): Fault | undefined {
  const [found, foundFormat] = kindOf(value);
  const format = checkedFormat(types.length === 1 ? (types[0] ?? '') : '', schema.format);
  const isWhole = found === 'number' && Number.isSafeInteger(value) && types.includes('integer');
  const fits =
    types.includes(found) || isWhole || (found === 'integer' && types.includes('number'));
  const isListOrText = found === 'string' || found === 'array';
  if (!isListOrText && format !== '' && !fits && foundFormat !== format) {
    return [format, foundFormat];
  }
  const wantsNumber = types.includes('number') || types.includes('integer');
  // A value with a format is checked by the format, not by its type.
  if (isListOrText && format !== '' && !wantsNumber) return undefined;
  return fits ? undefined : [types.join(','), found];
}

function kindOf(value: Json): readonly [type: string, format: string] {
  if (typeof value === 'string') return ['string', ''];
  if (typeof value === 'boolean') return ['boolean', ''];
  if (typeof value === 'bigint') return ['integer', 'int64'];
  if (typeof value !== 'number') return [Array.isArray(value) ? 'array' : 'object', ''];
  // A number beyond 2^53 is a double; integers of that size are bigints.
  return Number.isSafeInteger(value) ? ['integer', 'int64'] : ['number', 'float64'];
}

function addFault(findings: Findings, fieldPath: string, wanted: string, found: string): void {
  const detail = `${fieldPath} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
  findings.add({ type: 'TypeInvalid', field: fieldPath, value: found, detail });
}
