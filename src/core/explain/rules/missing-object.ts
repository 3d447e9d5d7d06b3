/** Explain rule: a ConfigMap or Secret that the pod needs does not exist. */
import { mountWait, startWait } from '../../pod-waits/wait-names.ts';
import { findWait } from '../current-waits.ts';
import { listed, quoted, times, type Finding, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';
import type { PodView, RelatedObject } from '../pod-view.ts';
import { syncRetry } from '../sync-retry.ts';

export const missingObject: Rule = {
  situation: 'object-missing',
  find: (view) => (isStarting(view) ? missingObjectsOf(view).map((one) => explain(view, one)) : []),
};

/** The ConfigMaps and Secrets that do not exist and are not optional. */
export function missingObjectsOf({ input }: PodView): readonly RelatedObject[] {
  return input.related.filter(
    ({ kind, object, isOptional }) =>
      kind !== 'PersistentVolumeClaim' && object === null && !isOptional,
  );
}

function isStarting({ containers, phase, nodeName }: PodView): boolean {
  if (nodeName === '' || ['Failed', 'Succeeded'].includes(phase)) return false;
  return phase === 'Pending' || containers.some(({ waiting }) => waiting !== null);
}

function explain(view: PodView, { kind, name, usedBy }: RelatedObject): Finding {
  const { input, waits, containers, events } = view;
  const own = [
    ...containers.map((one) => ({
      user: `container ${quoted(one.name)}`,
      of: startWait(one.name),
    })),
    ...waits.flatMap(({ waitsFor }) => {
      const volume = /^volume "(.*)" to be mounted$/.exec(waitsFor)?.[1];
      return volume === undefined
        ? []
        : [{ user: `volume ${quoted(volume)}`, of: mountWait(volume) }];
    }),
  ];
  const claimed = own
    .filter(({ user }) => usedBy.includes(user))
    .flatMap(({ of }) => findWait(waits, of) ?? []);
  const wait = claimed[0];
  const event = lastEvent(events, ['Failed', 'FailedMount'], ({ message }) =>
    message.includes(quoted(name)),
  );
  const verb = usedBy.length === 1 ? 'needs' : 'need';
  return {
    what: `${kind} ${quoted(name)} does not exist in namespace ${quoted(input.namespace)}; ${listed(usedBy)} ${verb} it.`,
    sinceMs: wait?.sinceMs ?? event?.firstMs,
    tried: times(wait?.attempts ?? event?.count ?? 0, 'The kubelet looked for it'),
    next: 'the kubelet looks for it again',
    nextMs: wait?.nextMs ?? syncRetry(view),
    advice: [
      `Create it: kubectl create ${kind === 'Secret' ? 'secret generic' : 'configmap'} ${name} -n ${input.namespace} …`,
      'Or correct the name in the pod, or mark the reference as optional. The pod then starts by itself.',
    ],
    waits: claimed,
  };
}
