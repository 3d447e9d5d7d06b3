/**
 * Reads the Pod Security policy from the labels of a namespace, for three modes.
 *
 *     pod-security.kubernetes.io/enforce, enforce-version   pods that violate it are refused
 *     pod-security.kubernetes.io/audit,   audit-version     violations are logged
 *     pod-security.kubernetes.io/warn,    warn-version      violations are answered with a warning
 *
 * 1. A namespace without labels has no restrictions (privileged, latest).
 * 2. Without a `warn` label the enforced level also warns, so the creator of a Deployment learns that its
 *    pods will be refused.
 * 3. An invalid enforce label means restricted; an invalid audit or warn label means privileged.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { readTextMap } from '../../../api/validation/json-reading.ts';
import { invalidField } from '../../../api/validation/field-errors.ts';
import type { FieldError } from '../../../api/validation/field-error.ts';
import { metadataOf } from '../../objects/metadata.ts';
import { isStricter, parseLevel, parseVersion, type LevelVersion } from './level.ts';

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
  /** The errors of invalid labels. */
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
  const given = labels.get(`${PREFIX}${mode}`);
  const level = given === undefined ? 'privileged' : parseLevel(given);
  if (level === undefined) {
    errors.push(unreadable(mode, given, 'must be one of privileged, baseline, restricted'));
  }
  const requestedVersion = labels.get(`${PREFIX}${mode}-version`);
  const version = requestedVersion === undefined ? null : parseVersion(requestedVersion);
  if (version === undefined) {
    errors.push(unreadable(`${mode}-version`, requestedVersion, 'must be "latest" or "v1.x"'));
  }
  const fallback = mode === 'enforce' ? 'restricted' : 'privileged';
  return { level: level ?? fallback, version: version ?? null };
}

function followingEnforce(
  labels: ReadonlyMap<string, string>,
  enforce: LevelVersion,
  warn: LevelVersion,
): LevelVersion {
  const given = labels.get(`${PREFIX}enforce`);
  const isEnforced = given !== undefined && parseLevel(given) !== undefined;
  if (labels.has(`${PREFIX}warn`) || !isEnforced) return warn;
  if (!isStricter(enforce.level, warn.level)) return warn;
  const hasVersion = labels.has(`${PREFIX}warn-version`);
  return { level: enforce.level, version: hasVersion ? warn.version : enforce.version };
}

function unreadable(label: string, value: string | undefined, detail: string): FieldError {
  return invalidField(`metadata.labels[${PREFIX}${label}]`, value, detail);
}
