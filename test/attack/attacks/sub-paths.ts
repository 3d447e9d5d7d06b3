/**
 * subPath: part of a volume is mounted, and the volume belongs to the attacker. Links in it must not lead
 * out of it. Links that are exchanged while containers start: sub-path-races.ts.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { podAttack } from '../harness/pod-attack.ts';
import { shellContainer } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';
import { SUB_PATH_RACES } from './sub-path-races.ts';

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
  ...SUB_PATH_RACES,
];
