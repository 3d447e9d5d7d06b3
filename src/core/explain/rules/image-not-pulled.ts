/**
 * Explain rule: the image of a container, or of an image volume that it mounts, is not on the node and cannot
 * be pulled.
 */
import { imageWait, startWait } from '../../pod-waits/wait-names.ts';
import { findWait } from '../current-waits.ts';
import { because, quoted, sentence, times, type Rule } from '../finding.ts';
import { lastEvent } from '../event-view.ts';
import { objectsAt, wordAt } from '../loose-json.ts';
import type { ContainerView, PodView } from '../pod-view.ts';
import { syncRetry } from '../sync-retry.ts';

const REASONS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);

export const imageNotPulled: Rule = {
  situation: 'image-not-pulled',
  find: (view) =>
    view.containers
      .filter(({ waiting }) => waiting && REASONS.has(waiting.reason))
      .map((container) => {
        const { name, role, waiting } = container;
        const { image, volume } = missingImage(view, container);
        const wait = findWait(view.waits, imageWait(name, image));
        const start = findWait(view.waits, startWait(name));
        const reason = waiting?.reason ?? '';
        const pulls = ['ErrImagePull', 'ImagePullBackOff', 'RegistryUnavailable'].includes(reason);
        const event = lastEvent(view.events, ['Failed', reason], (one) => one.container === name);
        const message = (waiting?.message ?? '').replace(/^Back-off pulling image "[^"]*": /, '');
        const which = `${quoted(image)}${volume === '' ? '' : ` of volume ${quoted(volume)}`}`;
        const blocks = role === 'regular' ? '' : ' Containers after it wait for it.';
        return {
          what:
            sentence(
              `Container ${quoted(name)} cannot start: ${problemOf(reason)} ${which}${because(message)}`,
            ) + blocks,
          sinceMs: wait?.sinceMs ?? start?.sinceMs ?? event?.firstMs,
          tried: wait
            ? times(wait.attempts, 'The kubelet tried to pull it')
            : times(start?.attempts ?? 0, 'The kubelet tried to start the container'),
          next: pulls ? 'the kubelet pulls it again' : 'the kubelet checks the image again',
          nextMs: wait?.nextMs ?? syncRetry(view),
          advice: adviceFor(reason, message),
          waits: [wait, start],
        };
      }),
};

interface MissingImage {
  readonly image: string;
  /** Empty: it is the container's own image. */
  readonly volume: string;
}

/** The image that the kubelet waits for or that the message names; else the container's own image. */
function missingImage(view: PodView, { name, image, spec, waiting }: ContainerView): MissingImage {
  const mounts = new Set(objectsAt(spec, 'volumeMounts').map((mount) => wordAt(mount, 'name')));
  const volumes = objectsAt(view.spec, 'volumes')
    .map((one) => ({ image: wordAt(one, 'image', 'reference'), volume: wordAt(one, 'name') }))
    .filter((one) => one.image !== '' && mounts.has(one.volume));
  const own = { image, volume: '' };
  const message = waiting?.message ?? '';
  return (
    [own, ...volumes].find((one) => findWait(view.waits, imageWait(name, one.image))) ??
    [own, ...volumes].find((one) => message.includes(JSON.stringify(one.image))) ??
    own
  );
}

function problemOf(reason: string): string {
  if (reason === 'ErrImageNeverPull')
    return 'its pull policy is Never, and the node does not have image';
  if (reason === 'InvalidImageName') return 'this is no name of an image:';
  return 'the kubelet cannot pull image';
}

function adviceFor(reason: string, message: string): readonly string[] {
  if (reason === 'ErrImageNeverPull') {
    return ['Load the image onto the node, or set imagePullPolicy to IfNotPresent.'];
  }
  if (reason === 'InvalidImageName') return ['Correct spec.containers[].image.'];
  const login = 'If the registry needs a password, name a Secret in spec.imagePullSecrets.';
  const isRefused = /unauthorized|denied|authentication|401|403/i.test(message);
  const check = 'Check the name and the tag of the image, and that the node reaches the registry.';
  return isRefused ? [login, check] : [check, login];
}
