/** Validates the volumes of a pod: each has a unique name and exactly one source. */
import { checkDns1123Subdomain } from '../../validation-names.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { FieldError } from '../../validation/field-error.ts';
import {
  duplicate,
  forbiddenField,
  invalidField,
  required,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../validation/json-reading.ts';
import { validateDnsLabel } from '../../validation/names.ts';
import type { Volumes } from './mounts.ts';
import type { SpecOptions } from '../spec-options.ts';
import { VOLUME_RULES } from './volume-rules.ts';
import { VOLUME_SOURCES, type VolumeSource } from '../volume-sources.ts';

export interface ValidatedVolumes {
  /** The volumes without errors: mounts of other volumes are errors, too. */
  readonly volumes: Volumes;
  readonly errors: readonly FieldError[];
}

/** The field names that the API misspells in the error about more than one source. */
const NAMES_IN_ERRORS: Partial<Readonly<Record<VolumeSource, string>>> = {
  cephfs: 'cephFS',
  downwardAPI: 'downwarAPI',
};
/** The field names in errors of a source's rules, where they differ from the source's field. */
const NAMES_IN_RULES: Partial<Readonly<Record<VolumeSource, string>>> = {
  gcePersistentDisk: 'persistentDisk',
};
const ISCSI_LENGTH_MAX = 64;

export function validateVolumes(
  spec: JsonObject,
  path: string,
  options: SpecOptions,
  podName: string,
): ValidatedVolumes {
  const all = readObjects(spec['volumes']);
  const made = claimsMadeFor(all, podName);
  const volumes = new Map<string, JsonObject>();
  const errors: FieldError[] = [];
  for (const [index, volume] of all.entries()) {
    const at = `${path}[${index}]`;
    const name = readText(volume['name']);
    const own = [...validateVolume(volume, at, options, podName, volumes)];
    if (own.length === 0) volumes.set(name, volume);
    errors.push(...own);
    const claim = readObject(volume['persistentVolumeClaim'])?.['claimName'];
    if (claim !== undefined && made.has(readText(claim))) {
      const detail = 'must not reference a PVC that gets created for an ephemeral volume';
      errors.push(invalidField(`${at}.persistentVolumeClaim.claimName`, claim, detail));
    }
  }
  return { volumes, errors };
}

function* validateVolume(
  volume: JsonObject,
  path: string,
  options: SpecOptions,
  podName: string,
  known: Volumes,
): FieldErrors {
  const name = readText(volume['name']);
  yield* validateSource(volume, path, options, podName);
  if (name === '') yield required(`${path}.name`);
  else yield* validateDnsLabel(name, `${path}.name`);
  if (known.has(name)) yield duplicate(`${path}.name`, name);
}

function* validateSource(
  volume: JsonObject,
  path: string,
  options: SpecOptions,
  podName: string,
): FieldErrors {
  const given = VOLUME_SOURCES.filter((name) => isGiven(volume[name]));
  if (given.length === 0) yield required(path, 'must specify a volume type');
  for (const [index, source] of given.entries()) {
    if (index > 0) {
      const field = `${path}.${NAMES_IN_ERRORS[source] ?? source}`;
      yield forbiddenField(field, 'may not specify more than 1 volume type');
    } else {
      const field = `${path}.${NAMES_IN_RULES[source] ?? source}`;
      yield* VOLUME_RULES[source](readStruct(volume[source]), field, options);
      if (source === 'ephemeral') yield* validateClaimName(volume, path, podName);
    }
    if (source === 'iscsi') yield* validateInitiatorLength(volume, path);
  }
}

/**
 * The PersistentVolumeClaim of an ephemeral volume is named after the pod and the volume, so both together
 * must be a valid name.
 */
function* validateClaimName(volume: JsonObject, path: string, podName: string): FieldErrors {
  const name = readText(volume['name']);
  if (podName === '' || name === '') return;
  const claim = `${podName}-${name}`;
  for (const sentence of checkDns1123Subdomain(claim)) {
    yield invalidField(`${path}.name`, name, `PVC name ${JSON.stringify(claim)}: ${sentence}`);
  }
}

function* validateInitiatorLength(volume: JsonObject, path: string): FieldErrors {
  const { initiatorName, targetPortal } = readStruct(volume['iscsi']);
  const name = readText(volume['name']);
  const length = Buffer.byteLength(`${name}:${readText(targetPortal)}`);
  if (!isGiven(initiatorName) || length <= ISCSI_LENGTH_MAX) return;
  yield invalidField(
    `${path}.name`,
    name,
    'Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.',
  );
}

function claimsMadeFor(volumes: readonly JsonObject[], podName: string): ReadonlySet<string> {
  if (podName === '') return new Set();
  const ephemeral = volumes.filter((volume) => isGiven(volume['ephemeral']));
  return new Set(ephemeral.map((volume) => `${podName}-${readText(volume['name'])}`));
}
