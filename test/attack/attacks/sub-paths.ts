/**
 * subPath: part of a volume is mounted, and the volume belongs to the attacker. Links in it must not lead
 * out of it, also if they are exchanged with folders while containers start.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { podAttack } from '../harness/pod-attack.ts';
import { perl } from '../harness/perl.ts';
import { shellContainer, type PodShape } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'sub-path';
const REFUSAL = /subpath|sub path|outside|link|not permitted|must not|contain|invalid|no such/i;
const READ =
  'cat /m/secret /m/open /m 2>/dev/null; for f in $OPEN_FILES $SECRET_FILE; do cat /m$f; done 2>/dev/null; true';

function linkAttack(id: string, to: (target: Target) => string, subPath = 'link'): Attack {
  return podAttack({
    class: KIND,
    id,
    tries: `A subPath leads through a link in the volume (${id}).`,
    pod: (target) => ({
      volumes: { shared: '/v' },
      inits: [
        shellContainer('plant', `mkdir /v/d; ln -s ${to(target)} /v/link; ln -s ../link /v/d/link`),
      ],
      container: { volumeMounts: [{ name: 'shared', mountPath: '/m', subPath }] },
    }),
    script: `${READ}; touch /m/made-${id} 2>/dev/null; true`,
    check: ({ canaries }) => {
      const made = path.join(canaries.home, `made-${id}`);
      return existsSync(made) ? `${made} was made on the machine` : undefined;
    },
    mayRefuse: REFUSAL,
    seconds: 8,
  });
}

/**
 * One container exchanges a folder and a link, with one system call, for as long as others start with a
 * subPath into them. Four pods of twenty-five containers make a hundred starts of each kind, and the
 * kubelet tries those that it had to refuse again.
 */
const RACES = 4;
const RACERS = 25;
const SWAP = perl(`
  my ($a, $b, $end) = ('/v/spot', '/v/link', time + 12);
  while (time < $end) { sys('renameat2', -100, $a, -100, $b, 2) for 1 .. 500 }
  # Those that were refused until now may start, so that the pod ends.
  sys('renameat2', -100, $a, -100, $b, 2) if -l $a;
  sleep 120;
`);

function race(id: string, subPath: string, shape: PodShape, to: (t: Target) => string): Attack {
  return podAttack({
    class: KIND,
    id,
    tries: `${RACERS} containers start with a subPath that another one exchanges with a link.`,
    pod: (target) => {
      const mount = { name: 'shared', mountPath: '/m', subPath };
      const racers: JsonObject[] = Array.from({ length: RACERS - 1 }, (_, index) =>
        shellContainer(`r${index}`, READ, { volumeMounts: [mount] }),
      );
      return {
        ...shape,
        volumes: { shared: '/v' },
        inits: [
          shellContainer(
            'plant',
            `mkdir -p /v/spot/in; chmod -R 777 /v/spot; ln -s ${to(target)} /v/link`,
          ),
          shellContainer('swap', SWAP, { restartPolicy: 'Always' }),
        ],
        container: { volumeMounts: [mount] },
        others: racers,
      };
    },
    script: READ,
    mayRefuse: REFUSAL,
    check: (target) => {
      const made = path.join(target.canaries.home, 'in');
      return existsSync(made) ? `${made} was made on the machine` : undefined;
    },
    isPatient: true,
    seconds: 40,
  });
}

export const SUB_PATHS: readonly Attack[] = [
  linkAttack('absolute', ({ canaries }) => canaries.home),
  linkAttack('machine-root', () => '/'),
  linkAttack(
    'relative',
    ({ canaries }) => `../../../../../../../../../../../../../../../..${canaries.home}`,
  ),
  linkAttack('relative-root', () => '../../../../../../../../../../../../../../../..'),
  linkAttack('self-root', () => '/proc/self/root'),
  linkAttack('self-cwd', () => '/proc/self/cwd'),
  linkAttack('init-root', () => '/proc/1/root'),
  linkAttack('nested', ({ canaries }) => canaries.home, 'd/link'),
  linkAttack('new-below', ({ canaries }) => canaries.home, 'link/made-new-below'),
  linkAttack('file', ({ canaries }) => canaries.secretFile),
  linkAttack('file-below', ({ canaries }) => canaries.home, 'link/secret'),
  linkAttack('open-file', ({ canaries }) => canaries.openFiles[0] ?? '/etc/hostname'),
  linkAttack('data-folder', ({ data }) => data),
  ...['..', '../..', 'd/../..', '/etc', './../x'].map((subPath, index) =>
    podAttack({
      class: KIND,
      id: `refused-${index}`,
      tries: `The subPath ${subPath} must be refused by the API.`,
      pod: {
        volumes: { shared: '/v' },
        container: { volumeMounts: [{ name: 'shared', mountPath: '/m', subPath }] },
      },
      script: READ,
      mayRefuse: /subPath.*(?:must not contain|must be a relative path)/i,
      seconds: 8,
    }),
  ),
  podAttack({
    class: KIND,
    id: 'expression',
    tries: 'A subPathExpr takes dots from a variable.',
    pod: {
      volumes: { shared: '/v' },
      container: {
        env: [{ name: 'UP', value: '../../../..' }],
        volumeMounts: [{ name: 'shared', mountPath: '/m', subPathExpr: '$(UP)' }],
      },
    },
    script: READ,
    mayRefuse: /subpath|must not contain|\.\./i,
    seconds: 8,
  }),
  ...Array.from({ length: RACES }, (_, index) => [
    race(`race-${index}`, 'spot', {}, ({ canaries }) => path.dirname(canaries.openFiles[0] ?? '/')),
    race(`race-below-${index}`, 'spot/in', {}, ({ canaries }) => canaries.home),
  ]).flat(),
];
