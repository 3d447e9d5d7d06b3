/** Validates allOf, anyOf, oneOf and not. */
import type { Schema } from '../schema.ts';
import { Findings } from './finding.ts';

/** `validateAgainst`: returns the findings of one schema about the value. */
export function checkCombinations(
  schema: Schema,
  fieldPath: string,
  validateAgainst: (schema: Schema) => Findings,
): Findings {
  const findings = new Findings();
  const name = JSON.stringify(fieldPath);
  checkAny(schema.anyOf.map(validateAgainst), name, findings);
  checkOne(schema.oneOf.map(validateAgainst), name, findings);
  checkAll(schema.allOf.map(validateAgainst), name, findings);
  if (schema.not && validateAgainst(schema.not).isValid) {
    findings.addGeneral(`${name} must not validate the schema (not)`);
  }
  findings.matches += 1;
  return findings;
}

function checkAny(results: readonly Findings[], name: string, findings: Findings): void {
  if (results.length === 0) return;
  const success = results.find((result) => result.isValid);
  if (!success) findings.addGeneral(`${name} must validate at least one schema (anyOf)`);
  findings.merge(success ?? bestOf(results));
}

function checkOne(results: readonly Findings[], name: string, findings: Findings): void {
  if (results.length === 0) return;
  const successes = results.filter((result) => result.isValid);
  const [success] = successes;
  if (success && successes.length === 1) {
    findings.merge(success);
    return;
  }
  const found = success ? `Found ${successes.length} valid alternatives` : 'Found none valid';
  findings.addGeneral(`${name} must validate one and only one schema (oneOf). ${found}`);
  if (!success) findings.merge(bestOf(results));
}

function checkAll(results: readonly Findings[], name: string, findings: Findings): void {
  if (results.length === 0) return;
  for (const result of results) findings.merge(result);
  const count = results.filter((result) => result.isValid).length;
  if (count === results.length) return;
  const more = count === 0 ? '. None validated' : '';
  findings.addGeneral(`${name} must validate all the schemas (allOf)${more}`);
}

/** Of the failed schemas, the one with the most matches. */
function bestOf(results: readonly Findings[]): Findings {
  return results.reduce((best, one) => (one.matches > best.matches ? one : best));
}
