/** Rejects a pod with an AppArmor profile if this node cannot enforce the profile (E-18). */
import type { Pod } from '../../api/pod.ts';
import {
  admissionSpecOf,
  type AdmissionContainer,
  type AdmissionView,
  type AppArmorProfile,
} from './admission-view.ts';
import type { Rejection } from './rejection.ts';

/** The deprecated annotations for AppArmor profiles, one for each container. */
const ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
const LOCALHOST_PREFIX = 'localhost/';

/** A pod that has already run is not checked again. */
export function rejectUnconfinable({ pod, platform }: AdmissionView): Rejection | null {
  if (platform.os !== 'linux' || (pod.status?.phase ?? 'Pending') !== 'Pending') return null;
  if (!needsAppArmor(pod)) return null;
  const fault = platform.appArmorFault ?? findProfileFault(pod);
  if (fault === null) return null;
  return { reason: 'AppArmor', message: `Cannot enforce AppArmor: ${fault}` };
}

function needsAppArmor(pod: Pod): boolean {
  const { securityContext } = admissionSpecOf(pod);
  const profiles = [securityContext, ...containersOf(pod).map((one) => one.securityContext)];
  if (profiles.some((context) => isConfined(context?.appArmorProfile))) return true;
  return Object.entries(pod.metadata.annotations ?? {}).some(
    ([key, value]) => key.startsWith(ANNOTATION_PREFIX) && value !== 'unconfined',
  );
}

function isConfined(profile: AppArmorProfile | undefined): boolean {
  return profile !== undefined && profile.type !== 'Unconfined';
}

function findProfileFault(pod: Pod): string | null {
  const isNameless = containersOf(pod).some((container) => {
    const profile = profileOf(pod, container);
    return profile?.type === 'Localhost' && (profile.localhostProfile ?? '').trim() === '';
  });
  return isNameless ? 'invalid empty AppArmor profile name: ""' : null;
}

/** The container's own field first; then the annotation, then the field of the pod. */
function profileOf(pod: Pod, { name, securityContext }: AdmissionContainer) {
  const own = securityContext?.appArmorProfile;
  const annotation = pod.metadata.annotations?.[`${ANNOTATION_PREFIX}${name}`];
  const annotated: AppArmorProfile | undefined = annotation?.startsWith(LOCALHOST_PREFIX)
    ? { type: 'Localhost', localhostProfile: annotation.slice(LOCALHOST_PREFIX.length) }
    : undefined;
  return own ?? annotated ?? admissionSpecOf(pod).securityContext?.appArmorProfile;
}

function containersOf(pod: Pod): readonly AdmissionContainer[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = admissionSpecOf(pod);
  return [...initContainers, ...containers, ...ephemeralContainers];
}
