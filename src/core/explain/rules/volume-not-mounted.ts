/** Explain rule: a volume cannot be mounted, or a PersistentVolumeClaim is missing or not bound. */
import { mountWait } from '../../pod-waits/wait-names.ts';
import { findWait } from '../current-waits.ts';
import { because, quoted, sentence, times, type Finding, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';
import { wordAt } from '../loose-json.ts';
import type { PodView } from '../pod-view.ts';
import { syncRetry } from '../sync-retry.ts';
import { missingObjectsOf } from './missing-object.ts';

export const volumeNotMounted: Rule = {
  situation: 'volume-not-mounted',
  find: (view) => {
    const { phase, deletedMs, nodeName } = view;
    if (deletedMs !== null || nodeName === '' || phase !== 'Pending') return [];
    const claims = claimsWithout(view);
    return [...claims, ...volumesWithout(view, claims)];
  },
};

/** PersistentVolumeClaims that are missing or not bound. */
function claimsWithout(view: PodView): readonly Finding[] {
  const { input, waits } = view;
  return input.related
    .filter(({ kind }) => kind === 'PersistentVolumeClaim')
    .filter(({ object }) => object !== undefined)
    .filter(({ object }) => object === null || wordAt(object, 'status', 'phase') !== 'Bound')
    .map(({ name, object, usedBy }): Finding => {
      const phase = object ? wordAt(object, 'status', 'phase') || 'unknown' : null;
      const volume = /^volume "(.*)"$/.exec(usedBy[0] ?? '')?.[1] ?? '';
      const wait = findWait(waits, mountWait(volume));
      return {
        what:
          phase === null
            ? `PersistentVolumeClaim ${quoted(name)} of ${usedBy.join(', ')} does not exist.`
            : `PersistentVolumeClaim ${quoted(name)} of ${usedBy.join(', ')} is not bound to a volume: it is ${phase}.`,
        sinceMs: wait?.sinceMs ?? view.createdMs,
        tried: times(wait?.attempts ?? 0, 'The kubelet tried to follow the claim'),
        next: 'the kubelet follows the claim again',
        nextMs: syncRetry(view) ?? wait?.nextMs,
        advice: [
          phase === null
            ? `Create the claim: podkeep get pvc -n ${input.namespace} lists what there is.`
            : 'Check that a PersistentVolume or a StorageClass fits the claim: kubectl describe pvc.',
        ],
        waits: [wait],
      };
    });
}

function volumesWithout(view: PodView, claims: readonly Finding[]): readonly Finding[] {
  const explained = new Set(claims.flatMap(({ waits = [] }) => waits));
  const missing = new Set(missingObjectsOf(view).flatMap(({ usedBy }) => usedBy));
  const recorded = view.waits.flatMap((wait): readonly Finding[] => {
    const volume = /^volume "(.*)" to be mounted$/.exec(wait.waitsFor)?.[1];
    if (volume === undefined || explained.has(wait)) return [];
    if (missing.has(`volume ${quoted(volume)}`)) return [];
    return [
      {
        what: sentence(`Volume ${quoted(volume)} cannot be mounted${because(wait.why)}`),
        sinceMs: wait.sinceMs,
        tried: times(wait.attempts, 'The kubelet tried to mount it'),
        next: 'the kubelet tries to mount it again',
        nextMs: wait.nextMs,
        advice: adviceFor(wait.why),
        waits: [wait],
      },
    ];
  });
  if (recorded.length > 0 || claims.length > 0 || missing.size > 0) return recorded;
  return fromEvent(view);
}

/** Without decision records of the kubelet, only its newest Event about the mount is left. */
function fromEvent({ events, containers }: PodView): readonly Finding[] {
  const isMounting = containers.some(({ waiting }) => waiting?.reason === 'ContainerCreating');
  const event = lastEvent(events, ['FailedMount', 'FailedAttachVolume']);
  if (!event || !isMounting) return [];
  return [
    {
      what: sentence(`A volume cannot be mounted${because(event.message)}`),
      sinceMs: event.firstMs,
      tried: times(event.count, 'The kubelet recorded this'),
      next: 'the kubelet tries to mount it again, at the latest after about two minutes',
      advice: adviceFor(event.message),
    },
  ];
}

function adviceFor(message: string): readonly string[] {
  if (message.includes('hostPath')) {
    return ['Make what the hostPath needs on the node, or change its type to DirectoryOrCreate.'];
  }
  return ['Correct what the message names. The kubelet then mounts the volume by itself.'];
}
