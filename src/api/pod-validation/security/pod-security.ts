/** Validates a pod's security context, and the host namespaces that it uses. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  forbiddenField,
  invalidField,
  invalidFor,
  unsupported,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import {
  isGiven,
  readFlag,
  readList,
  readNumber,
  readObject,
  readObjects,
  readText,
} from '../../validation/json-reading.ts';
import { checkId } from '../../validation/names.ts';
import { allContainers } from '../container-lists.ts';
import { validateIds } from './security-context.ts';
import { validateAppArmor, validateSeccomp } from './security-profiles.ts';
import type { SpecOptions } from '../spec-options.ts';
import { validateSysctls } from './sysctls.ts';
import { validateWindowsOptions } from './windows-options.ts';

const GROUP_CHANGES = ['Always', 'OnRootMismatch'];
const GROUP_POLICIES = ['Merge', 'Strict'];
/** SELinuxMount is off by default in 1.36; a pod that uses it may keep it. */
const SELINUX_CHANGES = ['Recursive'];
const OLD_SELINUX_CHANGES = ['MountOption', 'Recursive'];

export function* validatePodSecurity(
  spec: JsonObject,
  path: string,
  options: SpecOptions,
): FieldErrors {
  const context = readObject(spec['securityContext']) ?? {};
  yield* validateIds(context, path, ['fsGroup', 'runAsUser', 'runAsGroup']);
  for (const [index, group] of readList(context['supplementalGroups']).entries()) {
    const id = readNumber(group);
    yield* invalidFor(`${path}.supplementalGroups[${index}]`, id, checkId(id));
  }
  if (readFlag(spec['shareProcessNamespace']) && readFlag(spec['hostPID'])) {
    const detail = 'ShareProcessNamespace and HostPID cannot both be enabled';
    yield invalidField(`${path}.shareProcessNamespace`, true, detail);
  }
  yield* validateSysctls(spec, `${path}.sysctls`, options);
  yield* validateChoice(context, path, 'fsGroupChangePolicy', GROUP_CHANGES);
  yield* validateSeccomp(context['seccompProfile'], `${path}.seccompProfile`);
  yield* validateWindowsOptions(context['windowsOptions'], `${path}.windowsOptions`);
  yield* validateAppArmor(context['appArmorProfile'], `${path}.appArmorProfile`);
  yield* validateChoice(context, path, 'supplementalGroupsPolicy', GROUP_POLICIES);
  const changes = options.allowsMountOption ? OLD_SELINUX_CHANGES : SELINUX_CHANGES;
  yield* validateChoice(context, path, 'seLinuxChangePolicy', changes);
}

/** A pod with its own user namespace (`hostUsers: false`) cannot use host namespaces or raw block devices. */
export function* validateHostUsers(
  spec: JsonObject,
  path: string,
  { allowsDevicesInUserNamespace, allowsHostNetworkWithOwnUsers }: SpecOptions,
): FieldErrors {
  if (spec['hostUsers'] !== false) return;
  const detail = 'when `hostUsers` is false';
  const mayUseNetwork = allowsHostNetworkWithOwnUsers || !readFlag(spec['hostNetwork']);
  if (!mayUseNetwork) yield forbiddenField(`${path}.hostNetwork`, detail);
  if (readFlag(spec['hostPID'])) yield forbiddenField(`${path}.HostPID`, detail);
  if (readFlag(spec['hostIPC'])) yield forbiddenField(`${path}.HostIPC`, detail);
  if (allowsDevicesInUserNamespace) return;
  for (const { container, path: at } of allContainers(spec, path)) {
    if (readObjects(container['volumeDevices']).length === 0) continue;
    yield forbiddenField(`${at}.volumeDevices`, detail);
  }
}

function* validateChoice(
  context: JsonObject,
  path: string,
  name: string,
  supported: readonly string[],
): FieldErrors {
  const choice = readText(context[name]);
  if (!isGiven(context[name]) || supported.includes(choice)) return;
  yield unsupported(`${path}.${name}`, choice, supported);
}
