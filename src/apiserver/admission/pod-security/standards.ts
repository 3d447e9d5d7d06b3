/**
 * Defines the Pod Security Standards: which checks belong to which level, and from which Kubernetes version
 * on.
 *
 *     privileged   none
 *     baseline     the checks of baseline
 *     restricted   its own checks, and those of baseline that it does not replace
 *
 * A namespace may choose the checks of an older version (`v1.24`). `latest`, and versions newer than any
 * check, mean the newest checks. Checks run in the order of their names, those of baseline first.
 */
import { capabilitiesBaseline, capabilitiesRestricted } from './capability-checks.ts';
import type { Check, CheckedPod, Violation } from './check.ts';
import {
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  hostProbesAndHostLifecycle,
} from './host-checks.ts';
import { procMount, sysctls } from './kernel-checks.ts';
import type { LevelVersion } from './level.ts';
import {
  allowPrivilegeEscalation,
  privileged,
  runAsNonRoot,
  runAsUser,
  unlessOwnUsers,
  unlessWindows,
  windowsHostProcess,
} from './privilege-checks.ts';
import {
  appArmorProfile,
  seccompAnnotations,
  seccompProfileBaseline,
  seccompProfileRestricted,
  seLinuxOptions,
  seLinuxOptionsWithEngine,
} from './profile-checks.ts';
import { restrictedVolumes } from './volume-checks.ts';

interface Standard {
  readonly id: string;
  /** By the minor version from which each applies, ascending. */
  readonly versions: readonly (readonly [minor: number, check: Check])[];
  /** The check of baseline that this one replaces, while it applies. */
  readonly replaces?: string;
}

const BASELINE: readonly Standard[] = [
  { id: 'appArmorProfile', versions: [[0, appArmorProfile]] },
  { id: 'capabilities_baseline', versions: [[0, capabilitiesBaseline]] },
  { id: 'hostNamespaces', versions: [[0, hostNamespaces]] },
  { id: 'hostPathVolumes', versions: [[0, hostPathVolumes]] },
  { id: 'hostPorts', versions: [[0, hostPorts]] },
  { id: 'hostProbesAndHostLifecycle', versions: [[34, hostProbesAndHostLifecycle]] },
  { id: 'privileged', versions: [[0, privileged]] },
  {
    id: 'procMount',
    versions: [
      [0, procMount],
      [35, unlessOwnUsers(procMount)],
    ],
  },
  {
    id: 'seLinuxOptions',
    versions: [
      [0, seLinuxOptions],
      [31, seLinuxOptionsWithEngine],
    ],
  },
  {
    id: 'seccompProfile_baseline',
    versions: [
      [0, seccompAnnotations],
      [19, seccompProfileBaseline],
    ],
  },
  { id: 'sysctls', versions: sysctls },
  { id: 'windowsHostProcess', versions: [[0, windowsHostProcess]] },
];

const RESTRICTED: readonly Standard[] = [
  {
    id: 'allowPrivilegeEscalation',
    versions: [
      [8, allowPrivilegeEscalation],
      [25, unlessWindows(allowPrivilegeEscalation)],
    ],
  },
  {
    id: 'capabilities_restricted',
    versions: [
      [22, capabilitiesRestricted],
      [25, unlessWindows(capabilitiesRestricted)],
    ],
    replaces: 'capabilities_baseline',
  },
  { id: 'procMount_restricted', versions: [[35, procMount]], replaces: 'procMount' },
  { id: 'restrictedVolumes', versions: [[0, restrictedVolumes]], replaces: 'hostPathVolumes' },
  {
    id: 'runAsNonRoot',
    versions: [
      [0, runAsNonRoot],
      [35, unlessOwnUsers(runAsNonRoot)],
    ],
  },
  {
    id: 'runAsUser',
    versions: [
      [23, runAsUser],
      [35, unlessOwnUsers(runAsUser)],
    ],
  },
  {
    id: 'seccompProfile_restricted',
    versions: [
      [19, seccompProfileRestricted],
      [25, unlessWindows(seccompProfileRestricted)],
    ],
    replaces: 'seccompProfile_baseline',
  },
];

/** The pod's violations of the level; none: it is allowed. */
export function violationsOf(pod: CheckedPod, wanted: LevelVersion): readonly Violation[] {
  return checksOf(wanted).flatMap((check) => check(pod) ?? []);
}

function checksOf({ level, version }: LevelVersion): readonly Check[] {
  if (level === 'privileged') return [];
  const minor = version ?? Number.POSITIVE_INFINITY;
  const heldOf = (standards: readonly Standard[]) =>
    standards.flatMap(({ id, versions, replaces }) => {
      const held = versions.findLast(([from]) => from <= minor);
      return held ? [{ id, check: held[1], replaces }] : [];
    });
  const own = level === 'restricted' ? heldOf(RESTRICTED) : [];
  const replaced = new Set(own.map(({ replaces }) => replaces));
  return [...heldOf(BASELINE).filter(({ id }) => !replaced.has(id)), ...own].map(
    ({ check }) => check,
  );
}

/** `host namespaces (hostPID=true), privileged (container "a" must not …)`. */
export function describeViolations(violations: readonly Violation[]): string {
  return violations
    .map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`))
    .join(', ');
}

export function describeReasons(violations: readonly Violation[]): string {
  return violations.map(({ reason }) => reason).join(', ');
}
