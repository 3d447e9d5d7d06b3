/** Pod Security checks of the user that a container runs as, and of the privileges that it can gain. */
import { valueAt } from '../../objects/field-path.ts';
import {
  containersWith,
  hasPodUsers,
  isWindows,
  namedContainers,
  securityOf,
  settersOf,
  type Check,
} from './check.ts';

export const privileged: Check = (pod) => {
  const names = containersWith(pod, (one) => securityOf(one, 'privileged') === true);
  if (names.length === 0) return undefined;
  const detail = `${namedContainers(names)} must not set securityContext.privileged=true`;
  return { reason: 'privileged', detail };
};

export const allowPrivilegeEscalation: Check = (pod) => {
  const isAllowed = (value: unknown): boolean => value !== false;
  const names = containersWith(pod, (one) =>
    isAllowed(securityOf(one, 'allowPrivilegeEscalation')),
  );
  if (names.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${namedContainers(names)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

export const windowsHostProcess: Check = (pod) => {
  const path = 'windowsOptions.hostProcess';
  const names = containersWith(pod, (one) => securityOf(one, path) === true);
  const setters = settersOf(valueAt(pod.spec, `securityContext.${path}`) === true, names);
  if (setters.length === 0) return undefined;
  const who = setters.join(' and ');
  return {
    reason: 'hostProcess',
    detail: `${who} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

export const runAsNonRoot: Check = (pod) => {
  const reason = 'runAsNonRoot != true';
  const own = valueAt(pod.spec, 'securityContext.runAsNonRoot');
  const given = (value: boolean) =>
    containersWith(pod, (one) => securityOf(one, 'runAsNonRoot') === value);
  const setters = settersOf(own === false, given(false));
  if (setters.length > 0) {
    const detail = `${setters.join(' and ')} must not set securityContext.runAsNonRoot=false`;
    return { reason, detail };
  }
  if (own === true) return undefined;
  const names = containersWith(pod, (one) => securityOf(one, 'runAsNonRoot') !== true);
  if (names.length === 0) return undefined;
  const detail = `pod or ${namedContainers(names)} must set securityContext.runAsNonRoot=true`;
  return { reason, detail };
};

export const runAsUser: Check = (pod) => {
  const names = containersWith(pod, (one) => securityOf(one, 'runAsUser') === 0);
  const setters = settersOf(valueAt(pod.spec, 'securityContext.runAsUser') === 0, names);
  if (setters.length === 0) return undefined;
  return { reason: 'runAsUser=0', detail: `${setters.join(' and ')} must not set runAsUser=0` };
};

/** A check that pods with `os.name: windows` pass, because Windows has no such setting. */
export function unlessWindows(check: Check): Check {
  return (pod) => (isWindows(pod) ? undefined : check(pod));
}

/** A check that pods with their own user namespace pass: root there has no rights outside it. */
export function unlessOwnUsers(check: Check): Check {
  return (pod) => (hasPodUsers(pod) ? undefined : check(pod));
}
