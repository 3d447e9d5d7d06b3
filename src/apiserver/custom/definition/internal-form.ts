/**
 * Converts parts of a CustomResourceDefinition to kube-apiserver's internal form, in which its errors print
 * them: with Go's field names, and including absent fields.
 */
import type { Json, JsonObject } from '../../../lib/json.ts';

export function internalVersion(version: JsonObject): JsonObject {
  const or = (name: string, fallback: Json): Json => version[name] ?? fallback;
  return {
    Name: or('name', ''),
    Served: or('served', false),
    Storage: or('storage', false),
    Deprecated: or('deprecated', false),
    DeprecationWarning: or('deprecationWarning', null),
    Schema: or('schema', null),
    Subresources: or('subresources', null),
    AdditionalPrinterColumns: or('additionalPrinterColumns', null),
    SelectableFields: or('selectableFields', null),
  };
}

export function internalRule(rule: JsonObject): JsonObject {
  const or = (name: string, fallback: Json): Json => rule[name] ?? fallback;
  return {
    Rule: or('rule', ''),
    Message: or('message', ''),
    MessageExpression: or('messageExpression', ''),
    Reason: or('reason', null),
    FieldPath: or('fieldPath', ''),
    OptionalOldSelf: or('optionalOldSelf', null),
  };
}
