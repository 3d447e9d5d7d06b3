/**
 * Races for a subPath and for a mount path: one container exchanges a folder (or a file) and a link in a
 * volume, with one system call, over and over, while others of the pod start with that path.
 *
 * Each kind of race has 200 tries or counts as not run. A try is a container that started with the path
 * (it adds a line to a file of the volume) or one that the kubelet refused because of it (an Event).
 * Racers exit immediately, so that the kubelet restarts them.
 */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { waitFor } from '../../e2e/support/patience.ts';
import { emptyDirOf } from '../harness/node-files.ts';
import { perl } from '../harness/perl.ts';
import { podAttack, type RunningPod } from '../harness/pod-attack.ts';
import { shellContainer } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';
import { strayMountOf } from './mount-targets.ts';

const TRIES = 200;
const RACERS = 60;
/** The kubelet creates real containers one after the other, and reports a pod after all of them. */
const RACERS_ON_CONTAINERD = 24;
/** A busy machine starts containers slowly, so only a race that makes no progress is given up early. */
const SECONDS = 900;
const STALLED_SECONDS = 120;

const SWAP = perl(`
  my ($a, $b) = ('/v/spot', '/v/link');
  while (1) { sys('renameat2', -100, $a, -100, $b, 2) for 1 .. 300; select(undef, undef, undef, 0.003) }
`);

/** The racer writes its result into the volume: logs of earlier runs are removed. */
const READ = `
{ cat /m /m/secret /m/open /v/spot/made/secret; for f in $OPEN_FILES $SECRET_FILE; do cat /m$f; done; } >>/v/seen 2>/dev/null
echo try >>/v/tries`;

interface Race {
  readonly id: string;
  readonly tries: string;
  /** Creates /v/spot. */
  readonly plant: string;
  readonly to: (target: Target) => string;
  readonly mount: JsonObject;
}

const openFolder = ({ canaries }: Target): string => path.dirname(canaries.openFiles[0] ?? '/');

const RACES: readonly Race[] = [
  {
    id: 'race-folder',
    tries: 'Containers start with a subPath that is a folder or a link to one of the machine.',
    plant: 'mkdir -m 777 /v/spot',
    to: openFolder,
    mount: { mountPath: '/m', subPath: 'spot' },
  },
  {
    id: 'race-below',
    tries: 'Containers start with a subPath below what is a folder or a link to one.',
    plant: 'mkdir -m 777 /v/spot',
    to: ({ canaries }) => canaries.home,
    mount: { mountPath: '/m', subPath: 'spot/made-by-race' },
  },
  {
    id: 'race-file',
    tries: 'Containers start with a subPath that is a file or a link to a file of the machine.',
    plant: 'echo own >/v/spot',
    to: ({ canaries }) => canaries.openFiles[0] ?? '/etc/hostname',
    mount: { mountPath: '/m', subPath: 'spot' },
  },
  {
    id: 'race-target',
    tries: 'Volumes are mounted below what is a folder or a link to one of the machine.',
    plant: 'mkdir -m 777 /v/spot',
    to: ({ canaries }) => canaries.home,
    mount: { name: 'other', mountPath: '/v/spot/made-by-race' },
  },
];

/** How often the path was used so far. */
async function triesOf(target: Target, { name, uid }: RunningPod): Promise<number> {
  const file = path.join(emptyDirOf(target.data, uid, 'shared'), 'tries');
  const started = existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
  const events = await target.events(name);
  const refused = events.filter(({ reason }) => reason === 'Failed');
  return refused.reduce((sum, { count = 1 }) => sum + count, started);
}

/** Waits for all tries, and returns how many there were. */
async function raceOf(target: Target, pod: RunningPod): Promise<number> {
  let [count, changedMs] = [0, Date.now()];
  await waitFor({ what: `${TRIES} tries`, deadlineMs: SECONDS * 1000 }, async () => {
    const now = await triesOf(target, pod);
    if (now > count) [count, changedMs] = [now, Date.now()];
    const isStalled = Date.now() - changedMs > STALLED_SECONDS * 1000;
    return count >= TRIES || isStalled ? true : undefined;
  }).catch(() => undefined);
  return count;
}

function raceAttack({ id, tries, plant, to, mount }: Race): Attack {
  return podAttack({
    class: 'sub-path',
    id,
    tries: `${tries} They are exchanged meanwhile, ${TRIES} tries.`,
    pod: (target) => {
      const count = target.mode === 'containerd' ? RACERS_ON_CONTAINERD : RACERS;
      const part = { name: 'shared', ...mount };
      const racer = (name: string): JsonObject =>
        shellContainer(name, READ, { volumeMounts: [part] });
      return {
        volumes: { shared: '/v' },
        inits: [
          shellContainer('plant', `${plant}; ln -s ${to(target)} /v/link; mkdir /v/other`),
          shellContainer('swap', SWAP, { restartPolicy: 'Always' }),
        ],
        others: Array.from({ length: count }, (_, index) => racer(`r${index}`)),
        spec: { restartPolicy: 'Always', volumes: [{ name: 'other', emptyDir: {} }] },
      };
    },
    drive: async (target, pod) => {
      const count = await raceOf(target, pod);
      return `${count >= TRIES ? 'RACED' : 'TOO FEW'} ${count}\n`;
    },
    isPatient: true,
    proof: /^RACED/m,
    check: ({ canaries, folder }, { uid }) => {
      const made = path.join(canaries.home, 'made-by-race');
      if (existsSync(made)) return `${made} was made on the machine`;
      return strayMountOf(folder, uid);
    },
    seconds: 240,
  });
}

export const SUB_PATH_RACES: readonly Attack[] = RACES.map(raceAttack);
