/** Pod Security checks of Linux capabilities: which a container may add, and which it must drop. */
import type { JsonObject } from '../../../lib/json.ts';
import { readTexts } from '../../../api/validation/json-reading.ts';
import {
  containersOf,
  containersWith,
  namedContainers,
  quoteAll,
  securityOf,
  sortedSet,
  type Check,
  type CheckedPod,
} from './check.ts';

const DEFAULTS: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const ADDED_WHEN_RESTRICTED: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

export const capabilitiesBaseline: Check = (pod) => {
  const detail = addedBeyond(pod, DEFAULTS);
  return detail === '' ? undefined : { reason: 'non-default capabilities', detail };
};

export const capabilitiesRestricted: Check = (pod) => {
  const keeping = containersWith(pod, (one) => !capabilitiesOf(one, 'drop').includes('ALL'));
  const undropped =
    keeping.length === 0
      ? ''
      : `${namedContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`;
  const details = [undropped, addedBeyond(pod, ADDED_WHEN_RESTRICTED)].filter((one) => one !== '');
  if (details.length === 0) return undefined;
  return { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

/** The added capabilities that are not allowed, as a text. Empty: there are none. */
function addedBeyond(pod: CheckedPod, allowed: ReadonlySet<string>): string {
  const forbidden = (container: JsonObject): readonly string[] =>
    capabilitiesOf(container, 'add').filter((name) => !allowed.has(name));
  const names = containersWith(pod, (one) => forbidden(one).length > 0);
  if (names.length === 0) return '';
  const added = sortedSet(containersOf(pod).flatMap(forbidden));
  const what = `must not include ${quoteAll(added)} in securityContext.capabilities.add`;
  return `${namedContainers(names)} ${what}`;
}

function capabilitiesOf(container: JsonObject, list: 'add' | 'drop'): readonly string[] {
  return readTexts(securityOf(container, `capabilities.${list}`));
}
