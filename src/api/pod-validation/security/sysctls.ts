/**
 * Validates the sysctls of a pod. A sysctl of a namespace that the pod shares with the host is refused, since
 * it would change the host.
 */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  invalidField,
  required,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { readFlag, readObjects, readStruct, readText } from '../../validation/json-reading.ts';
import type { SpecOptions } from '../spec-options.ts';

const NAME_LENGTH_MAX = 253;
const SEGMENT_FORM = '[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const NAME_FORM = `^(${SEGMENT_FORM}[\\./])*${SEGMENT_FORM}$`;
const SEGMENT = /^[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?$/;
const IPC_NAMES =
  /^kernel\.(?:sem|shm|shmall|shmmax|shmmni|shm_rmid_forced|msg|msgmax|msgmnb|msgmni)$|^fs\.mqueue\./;

export function* validateSysctls(
  spec: JsonObject,
  path: string,
  options: SpecOptions,
): FieldErrors {
  const seen = new Set<string>();
  for (const [index, sysctl] of readObjects(
    readStruct(spec['securityContext'])['sysctls'],
  ).entries()) {
    const name = readText(sysctl['name']);
    const field = `${path}[${index}].name`;
    if (name === '') yield required(field);
    else if (!isSysctlName(name)) {
      const detail = `must have at most ${NAME_LENGTH_MAX} characters and match regex ${NAME_FORM}`;
      yield invalidField(field, name, detail);
    } else if (seen.has(name)) yield duplicate(field, name);
    const fault = options.allowsHostSysctls ? undefined : hostSysctlFault(name, spec);
    if (fault !== undefined) yield invalidField(field, name, fault);
    seen.add(name);
  }
}

/** Why the pod may not set this sysctl. Undefined: it may. */
export function hostSysctlFault(name: string, spec: JsonObject): string | undefined {
  const plain = normalize(name).split('*', 1)[0] ?? '';
  if (readFlag(spec['hostNetwork']) && plain.startsWith('net.')) {
    return "may not be specified when 'hostNetwork' is true";
  }
  return readFlag(spec['hostIPC']) && IPC_NAMES.test(plain)
    ? "may not be specified when 'hostIPC' is true"
    : undefined;
}

function isSysctlName(name: string): boolean {
  return (
    name.length <= NAME_LENGTH_MAX && name.split(/[./]/).every((segment) => SEGMENT.test(segment))
  );
}

/** `net/ipv4/conf/eth0.1` means `net.ipv4.conf.eth0/1`. */
function normalize(name: string): string {
  const separator = /[./]/.exec(name)?.[0];
  if (separator !== '/') return name;
  return name.replace(/[./]/g, (found) => (found === '.' ? '/' : '.'));
}
