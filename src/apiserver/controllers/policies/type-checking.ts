/**
 * Type-checks the expressions of a ValidatingAdmissionPolicy against the kinds that its rules name. It finds
 * expressions that compile but fail for every request, because they compare a number with a string or read a
 * field that the kind does not have.
 *
 * As in kube-controller-manager, rules with wildcards are skipped, and at most ten kinds of each policy are
 * checked. Results are warnings only: the policy is enforced anyway.
 */
import { CelFailure, CelFault, compileProgram, FaultList, type CelType } from '../../../cel/cel.ts';
import { readObject, readText, readTexts } from '../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { findKind } from '../../admission/policies/kind-finder.ts';
import { variableTypes, type ExpressionScope } from '../../expressions/admission-types.ts';
import { typeOfKind } from '../../expressions/kind-type.ts';
import { composeVariables } from '../../expressions/policy-variables.ts';
import { objectsAt, valueAt } from '../../objects/field-path.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import type { Catalog } from '../../registry/catalog.ts';

export interface ExpressionWarning extends JsonObject {
  readonly fieldRef: string;
  readonly warning: string;
}

interface CheckedKind {
  /** Such as `apps/v1, Kind=Deployment`. */
  readonly name: string;
  readonly scope: ExpressionScope;
}

const KINDS_MAX = 10;

export function checkTypes(policy: JsonObject, catalog: Catalog): readonly ExpressionWarning[] {
  const kinds = checkedKinds(policy, catalog);
  return objectsAt(policy, 'spec.validations').flatMap((validation, index) =>
    ['expression', 'messageExpression'].flatMap((name) => {
      const text = readText(validation[name]);
      const found = text === '' ? [] : kinds.flatMap((kind) => problemsOf(text, kind));
      const fieldRef = `spec.validations[${index}].${name}`;
      return found.length === 0 ? [] : [{ fieldRef, warning: found.join('\n') }];
    }),
  );
}

function checkedKinds(policy: JsonObject, catalog: Catalog): readonly CheckedKind[] {
  const params = paramTypeOf(policy, catalog);
  const base = { hasParams: params !== null, hasAuthorizer: true };
  return kindsOf(policy, catalog).flatMap((definition) => {
    const objectType = typeOfKind(definition);
    if (!objectType) return [];
    const typed = { ...base, objectType, ...(params && { paramsType: params }) };
    const { scope } = composeVariables(objectsAt(policy, 'spec.variables'), typed);
    return [{ name: nameOfKind(definition), scope }];
  });
}

/** Null: the policy has no parameters. */
function paramTypeOf(policy: JsonObject, catalog: Catalog): CelType | null {
  const paramKind = readObject(valueAt(policy, 'spec.paramKind'));
  if (!paramKind) return null;
  const [apiVersion, kind] = [readText(paramKind['apiVersion']), readText(paramKind['kind'])];
  const found = findKind(catalog, apiVersion, kind);
  return (found && typeOfKind(found)) ?? { kind: 'dyn' };
}

/** Sorted by group, version and kind. */
function kindsOf(policy: JsonObject, catalog: Catalog): readonly KindDefinition[] {
  const found = new Set<KindDefinition>();
  for (const rule of objectsAt(policy, 'spec.matchConstraints.resourceRules')) {
    for (const definition of kindsOfRule(rule, catalog)) {
      found.add(definition);
      if (found.size === KINDS_MAX) return sorted(found);
    }
  }
  return sorted(found);
}

function* kindsOfRule(rule: JsonObject, catalog: Catalog): Generator<KindDefinition> {
  const [groups, versions] = [readTexts(rule['apiGroups']), readTexts(rule['apiVersions'])];
  if ([...groups, ...versions].some((text) => text.includes('*'))) return;
  const resources = readTexts(rule['resources']).filter((text) => !/[*/]/.test(text));
  for (const group of groups.toSorted()) {
    for (const version of versions.toSorted()) {
      for (const resource of resources.toSorted()) {
        const found = catalog.find(group, version, resource);
        if (found) yield found;
      }
    }
  }
}

function sorted(kinds: Iterable<KindDefinition>): readonly KindDefinition[] {
  const keyOf = ({ group, version, kind }: KindDefinition) => `${group}\0${version}\0${kind}`;
  return [...kinds].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function nameOfKind({ group, version, kind }: KindDefinition): string {
  return `${group}/${version}, Kind=${kind}`;
}

function problemsOf(text: string, { name, scope }: CheckedKind): readonly string[] {
  try {
    compileProgram(text, variableTypes(scope));
    return [];
  } catch (error) {
    if (error instanceof CelFailure) return []; // not of its types
    if (!(error instanceof CelFault) && !(error instanceof FaultList)) throw error;
    return [`${name}: ${error.message}\n`];
  }
}
