/** Termination messages: files that the kubelet creates before a container and reads after it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { podAttack } from '../harness/pod-attack.ts';
import { shellContainer } from '../harness/pods.ts';
import type { Attack } from '../harness/types.ts';
import { MOUNT_REFUSAL } from './mount-targets.ts';

const KIND = 'termination';
const MESSAGE_BYTES_MAX = 4096;

function pathAttack(id: string, tries: string, of: (home: string) => string, link = ''): Attack {
  return podAttack({
    class: KIND,
    id,
    tries,
    pod: ({ canaries }) => ({
      volumes: { shared: '/v' },
      inits: [
        shellContainer('plant', `ln -s ${link.replace('HOME', canaries.home) || '/'} /v/link`),
      ],
      container: { terminationMessagePath: of(canaries.home) },
    }),
    script: 'sleep 0.2; exit 3',
    check: ({ canaries }) => {
      const made = path.join(canaries.home, `made-${id}`);
      return existsSync(made) ? `${made} was made on the machine` : undefined;
    },
    mayRefuse: MOUNT_REFUSAL,
    seconds: 8,
  });
}

export const TERMINATION: readonly Attack[] = [
  pathAttack(
    'link-to-secret',
    'The path of the message is a link in a volume that leads to a secret file.',
    () => '/v/link',
    'HOME/secret',
  ),
  pathAttack(
    'link-to-folder',
    'The path of the message goes through a link in a volume to a folder of the machine.',
    () => '/v/link/made-link-to-folder',
    'HOME',
  ),
  pathAttack(
    'secret-below-link',
    'The path of the message names a secret file through a link in a volume.',
    () => '/v/link/secret',
    'HOME',
  ),
  pathAttack(
    'proc-root',
    'The path of the message goes through /proc/self/root.',
    (home) => `/proc/self/root${home}/made-proc-root`,
  ),
  pathAttack(
    'proc-root-secret',
    'The path of the message names a secret file through /proc/1/root.',
    (home) => `/proc/1/root${home}/secret`,
  ),
  pathAttack(
    'dots',
    'The path of the message goes up from the root.',
    (home) => `/../../../..${home}/made-dots`,
  ),
  podAttack({
    class: KIND,
    id: 'replaced',
    tries: 'A container of user 0 puts a link to a secret file where its message should be.',
    pod: { as: 'root' },
    script: `umount /dev/termination-log; rm -f /dev/termination-log; ln -sf $SECRET_FILE /dev/termination-log; mv -f /dev/termination-log /dev/x; ln -sf $SECRET_FILE /dev/termination-log; exit 3`,
  }),
  podAttack({
    class: KIND,
    id: 'hard-link',
    tries: 'A container makes its message a hard link to a secret file.',
    pod: { as: 'root' },
    script: `rm -f /dev/termination-log; ln $SECRET_FILE /dev/termination-log; ln /proc/self/root$SECRET_FILE /dev/termination-log; exit 3`,
  }),
  podAttack({
    class: KIND,
    id: 'endless',
    tries: 'A container writes a message of 64 MiB, of which the kubelet may take 4096 bytes.',
    script: `head -c 67108864 /dev/zero | tr '\\000' m >/dev/termination-log; truncate -s 8G /dev/termination-log; exit 3`,
    check: async (target, { name }) => {
      const status = (await target.pod(name))?.status.containerStatuses?.[0];
      const size = status?.state.terminated?.message?.length ?? 0;
      return size > MESSAGE_BYTES_MAX ? `the message has ${size} bytes` : undefined;
    },
  }),
];
