/** Pod Security checks of seccomp, AppArmor and SELinux: no pod or container may disable its profile. */
import type { JsonObject } from '../../../lib/json.ts';
import { valueAt } from '../../objects/field-path.ts';
import { readObject, readText, readTextMap } from '../../../api/validation/json-reading.ts';
import {
  containersOf,
  containersWith,
  namedContainers,
  plural,
  quoteAll,
  securityOf,
  settersOf,
  sortedSet,
  type Check,
  type CheckedPod,
  type Violation,
} from './check.ts';

const CONFINING: ReadonlySet<string> = new Set(['RuntimeDefault', 'Localhost']);

/** The pod's own profile. Undefined: it has none. */
function podProfile({ spec }: CheckedPod, name: string): JsonObject | undefined {
  return readObject(valueAt(spec, `securityContext.${name}`));
}

function containerProfile(container: JsonObject, name: string): JsonObject | undefined {
  return readObject(securityOf(container, name));
}

interface Unconfined {
  readonly setters: readonly string[];
  readonly types: readonly string[];
}

/** Which of pod and containers set a profile that confines nothing, and which profile. */
function unconfinedBy(pod: CheckedPod, name: string): Unconfined {
  const isBad = (profile: JsonObject | undefined): profile is JsonObject =>
    profile !== undefined && !CONFINING.has(readText(profile['type']));
  const own = podProfile(pod, name);
  const names = containersWith(pod, (one) => isBad(containerProfile(one, name)));
  const all = [own, ...containersOf(pod).map((one) => containerProfile(one, name))];
  const types = sortedSet(all.filter(isBad).map(({ type }) => readText(type)));
  return { setters: settersOf(isBad(own), names), types };
}

const APP_ARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

export const appArmorProfile: Check = (pod) => {
  const { setters, types } = unconfinedBy(pod, 'appArmorProfile');
  const annotations = [...readTextMap(pod.metadata['annotations'])]
    .filter(([key, value]) => key.startsWith(APP_ARMOR_ANNOTATION) && !isAppArmorAllowed(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`);
  const given = annotations.length > 0 ? [plural('annotation', annotations.length)] : [];
  const who = [...setters, ...given];
  if (who.length === 0) return undefined;
  const values = [...types, ...sortedSet(annotations)];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quoteAll(values)}`,
  };
};

function isAppArmorAllowed(value: string): boolean {
  return value === '' || value === 'runtime/default' || value.startsWith('localhost/');
}

/** Reads fields; applies from v1.19. */
export const seccompProfileBaseline: Check = (pod) => {
  const { setters, types } = unconfinedBy(pod, 'seccompProfile');
  return setters.length === 0 ? undefined : unconfinedSeccomp(setters, types);
};

export const seccompProfileRestricted: Check = (pod) => {
  const { setters, types } = unconfinedBy(pod, 'seccompProfile');
  if (setters.length > 0) return unconfinedSeccomp(setters, types);
  if (podProfile(pod, 'seccompProfile')) return undefined;
  const names = containersWith(pod, (one) => !containerProfile(one, 'seccompProfile'));
  if (names.length === 0) return undefined;
  const wanted = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: 'seccompProfile', detail: `pod or ${namedContainers(names)} ${wanted}` };
};

function unconfinedSeccomp(setters: readonly string[], types: readonly string[]): Violation {
  const what = `must not set securityContext.seccompProfile.type to ${quoteAll(types)}`;
  return { reason: 'seccompProfile', detail: `${setters.join(' and ')} ${what}` };
}

const SECCOMP_OF_POD = 'seccomp.security.alpha.kubernetes.io/pod';
const SECCOMP_OF_CONTAINER = 'container.seccomp.security.alpha.kubernetes.io/';

/** Reads annotations; applies before v1.19. */
export const seccompAnnotations: Check = (pod) => {
  const annotations = readTextMap(pod.metadata['annotations']);
  const names = containersOf(pod).map(({ name }) => `${SECCOMP_OF_CONTAINER}${readText(name)}`);
  const forbidden = sortedSet(
    [SECCOMP_OF_POD, ...names].flatMap((key) => {
      const value = annotations.get(key);
      if (value === undefined || isSeccompAllowed(value)) return [];
      return [`${key}=${JSON.stringify(value)}`];
    }),
  );
  if (forbidden.length === 0) return undefined;
  const detail = `forbidden ${plural('annotation', forbidden.length)} ${forbidden.join(', ')}`;
  return { reason: 'seccompProfile', detail };
};

function isSeccompAllowed(value: string): boolean {
  return ['runtime/default', 'docker/default'].includes(value) || value.startsWith('localhost/');
}

const SELINUX_TYPES = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
/** v1.31 added `container_engine_t`. */
const SELINUX_TYPES_1_31 = [...SELINUX_TYPES, 'container_engine_t'];

export const seLinuxOptions = seLinuxOptionsOf(SELINUX_TYPES);
export const seLinuxOptionsWithEngine = seLinuxOptionsOf(SELINUX_TYPES_1_31);

function seLinuxOptionsOf(allowedTypes: readonly string[]): Check {
  const isBad = (options: JsonObject | undefined): options is JsonObject =>
    options !== undefined &&
    (!allowedTypes.includes(readText(options['type'])) ||
      readText(options['user']) !== '' ||
      readText(options['role']) !== '');
  return (pod) => {
    const own = podProfile(pod, 'seLinuxOptions');
    const names = containersWith(pod, (one) => isBad(containerProfile(one, 'seLinuxOptions')));
    const setters = settersOf(isBad(own), names);
    if (setters.length === 0) return undefined;
    const all = [own, ...containersOf(pod).map((one) => containerProfile(one, 'seLinuxOptions'))];
    const bad = all.filter(isBad);
    const types = sortedSet(
      bad.map(({ type }) => readText(type)).filter((type) => !allowedTypes.includes(type)),
    );
    const faults = [
      ...(types.length > 0 ? [`${plural('type', types.length)} ${quoteAll(types)}`] : []),
      ...['user', 'role'].flatMap((field) =>
        bad.some((options) => readText(options[field]) !== '') ? [`${field} may not be set`] : [],
      ),
    ];
    const what = `set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}`;
    return { reason: 'seLinuxOptions', detail: `${setters.join(' and ')} ${what}` };
  };
}
