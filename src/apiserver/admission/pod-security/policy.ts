/**
 * What the labels of a namespace ask for, in three modes.
 *
 *     pod-security.kubernetes.io/enforce, enforce-version   pods that violate it are refused
 *     pod-security.kubernetes.io/audit,   audit-version     violations are logged
 *     pod-security.kubernetes.io/warn,    warn-version      violations are answered with a warning
 *
 * 1. A namespace without labels asks for nothing (privileged, latest).
 * 2. Who enforces a level and says nothing about warnings is warned by the same level: so the creator of a
 *    Deployment learns that its pods will be refused.
 * 3. A label that cannot be read enforces the strictest level, and neither audits nor warns.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { readTextMap } from '../../kinds/validation/json-reading.ts';
import { invalid } from '../../kinds/validation/complaint.ts';
import type { FieldError } from '../../field-error.ts';
import { metadataOf } from '../../metadata.ts';
import { isStricter, parseLevel, parseVersion, type LevelVersion } from './level.ts';

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
  /** Labels that cannot be read. */
  readonly errors: readonly FieldError[];
}

type Mode = 'enforce' | 'audit' | 'warn';

const PREFIX = 'pod-security.kubernetes.io/';

export function policyOf(namespace: JsonObject): Policy {
  const labels = readTextMap(metadataOf(namespace)['labels']);
  const errors: FieldError[] = [];
  const enforce = readMode(labels, 'enforce', errors);
  const audit = readMode(labels, 'audit', errors);
  const warn = readMode(labels, 'warn', errors);
  return { enforce, audit, warn: followingEnforce(labels, enforce, warn), errors };
}

export function asksForNothing({ enforce, audit, warn }: Policy): boolean {
  return [enforce, audit, warn].every(({ level }) => level === 'privileged');
}

function readMode(
  labels: ReadonlyMap<string, string>,
  mode: Mode,
  errors: FieldError[],
): LevelVersion {
  const said = labels.get(`${PREFIX}${mode}`);
  const level = said === undefined ? 'privileged' : parseLevel(said);
  if (level === undefined) {
    errors.push(unreadable(mode, said, 'must be one of privileged, baseline, restricted'));
  }
  const saidVersion = labels.get(`${PREFIX}${mode}-version`);
  const version = saidVersion === undefined ? null : parseVersion(saidVersion);
  if (version === undefined) {
    errors.push(unreadable(`${mode}-version`, saidVersion, 'must be "latest" or "v1.x"'));
  }
  const fallback = mode === 'enforce' ? 'restricted' : 'privileged';
  return { level: level ?? fallback, version: version ?? null };
}

function followingEnforce(
  labels: ReadonlyMap<string, string>,
  enforce: LevelVersion,
  warn: LevelVersion,
): LevelVersion {
  const said = labels.get(`${PREFIX}enforce`);
  const isEnforced = said !== undefined && parseLevel(said) !== undefined;
  if (labels.has(`${PREFIX}warn`) || !isEnforced) return warn;
  if (!isStricter(enforce.level, warn.level)) return warn;
  const hasVersion = labels.has(`${PREFIX}warn-version`);
  return { level: enforce.level, version: hasVersion ? warn.version : enforce.version };
}

function unreadable(label: string, value: string | undefined, detail: string): FieldError {
  return invalid(`metadata.labels[${PREFIX}${label}]`, value, detail);
}
