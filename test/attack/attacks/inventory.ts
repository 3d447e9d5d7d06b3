/**
 * What the processes of a default pod have, compared with a list that is checked in
 * (test/attack/expected/default-pod*.json, written by --update). An inventory attacks nothing; it shows
 * every right, descriptor, mount and file that a change of the runtime adds.
 */
import { randomInt } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { findSleeper, initOf, read } from '../harness/container-processes.ts';
import { runPod } from '../harness/pod-attack.ts';
import { hookOf, probeOf, shellContainer } from '../harness/pods.ts';
import { ASPECTS, viewOf, type Changing } from '../harness/process-view.ts';
import type { Target } from '../harness/target.ts';
import { breached, held, MODES, skipped, unproven } from '../harness/types.ts';
import type { Attack, Outcome } from '../harness/types.ts';

const KIND = 'inventory';
const FOLDER = path.join(import.meta.dirname, '../expected');
const ENTRIES = [
  'init',
  'main',
  'sidecar',
  'probe',
  'postStart',
  'exec',
  'exec-tty',
  'terminal',
  'ephemeral',
] as const;
type Entry = (typeof ENTRIES)[number];
type Inventory = Readonly<Record<string, JsonObject>>;

const fileOf = ({ mode }: Target): string =>
  path.join(FOLDER, mode === 'root' ? 'default-pod.json' : 'default-pod-user.json');

const FILE_ASPECT = 'files';
const SHOWN_FOLDERS = ['/', '/etc/'];
/** A file of the container in which a process writes what it may read. It is read from outside. */
const noteOf = (entry: Entry): string => `tmp/podkeep-attack-${entry}`;

/** What the process may read at the top of its root and in /etc. */
const listFiles = (entry: Entry): string =>
  `for d in ${SHOWN_FOLDERS.join(' ')}; do for f in "$d"* "$d".[!.]*; do [ -r "$f" ] && echo "$f"; done; done >/${noteOf(entry)}`;

function filesOf(pid: number, entry: Entry): readonly string[] {
  const own = entry === 'init' ? allFilesOf(pid) : read(pid, `root/${noteOf(entry)}`).split('\n');
  return own.filter((file) => file !== '' && !file.includes('podkeep-attack')).toSorted();
}

/** Init runs nothing that could list files; it has no capability, so it can read no more than these. */
function allFilesOf(pid: number): readonly string[] {
  return SHOWN_FOLDERS.flatMap((folder) =>
    readdirSync(`/proc/${pid}/root${folder}`).map((name) => `${folder}${name}`),
  );
}

async function collect(target: Target): Promise<Inventory> {
  const nonce = String(randomInt(10 ** 9, 10 ** 10));
  const marker = (entry: Entry): string => `40.${ENTRIES.indexOf(entry) + 1}${nonce}`;
  const sleep = (entry: Entry): string => `${listFiles(entry)}; exec sleep ${marker(entry)}`;
  const noteView = (entry: Entry, pid: number, changing: Changing): void => {
    found[entry] = { ...viewOf(pid, changing), [FILE_ASPECT]: filesOf(pid, entry) };
  };
  const found: Record<string, JsonObject> = {};
  const hookMarker = `6.${ENTRIES.indexOf('postStart') + 1}${nonce}`;
  const known = new Map([
    [target.data, '$DATA'],
    [target.folder, '$FOLDER'],
  ]);
  // A container counts as running when its hook has ended, so the hook is looked for from the beginning.
  const hook = findSleeper(hookMarker, 20).then((pid) => {
    if (pid !== undefined) noteView('postStart', pid, known);
  });
  await runPod(target, KIND, {
    pod: {
      as: 'default',
      inits: [shellContainer('side', sleep('sidecar'), { restartPolicy: 'Always' })],
      others: [shellContainer('terminal', sleep('terminal'), { stdin: true, tty: true })],
      container: {
        livenessProbe: probeOf(sleep('probe'), { timeoutSeconds: 20, failureThreshold: 30 }),
        lifecycle: { postStart: hookOf(`${listFiles('postStart')}; sleep ${hookMarker}; true`) },
      },
    },
    script: `echo READY; ${sleep('main')}`,
    drive: async (_target, { name, uid }) => {
      const changing = new Map([[uid, 'UID'], ...known, [name, '$POD']]);
      const look = async (entry: Entry): Promise<number | undefined> => {
        const pid = await findSleeper(marker(entry), 12);
        if (pid !== undefined) noteView(entry, pid, changing);
        return pid;
      };
      const main = await look('main');
      const init = main === undefined ? undefined : initOf(main);
      if (init !== undefined) noteView('init', init, changing);
      await look('sidecar');
      await look('terminal');
      await look('probe');
      const exec = { pod: name, container: 'main', seconds: 6 };
      const running = [
        target.exec({ ...exec, command: ['sh', '-c', sleep('exec')] }),
        target.exec({ ...exec, command: ['sh', '-c', sleep('exec-tty')], tty: true, stdin: '' }),
      ];
      await look('exec');
      await look('exec-tty');
      const debug = { ...shellContainer('debug', sleep('ephemeral')), image: 'sh' };
      await target.addEphemeral(name, debug);
      await look('ephemeral');
      await Promise.all(running);
      return '';
    },
  });
  await hook;
  return found;
}

function inventoryOf(target: Target): Promise<Inventory> {
  return target.once('inventory', async () => {
    const inventory = await collect(target);
    if (target.update) {
      const ordered = Object.fromEntries(ENTRIES.map((entry) => [entry, inventory[entry] ?? {}]));
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(fileOf(target), `${JSON.stringify(ordered, null, 2)}\n`);
    }
    return inventory;
  });
}

async function compare(target: Target, entry: Entry, aspect: string): Promise<Outcome> {
  const file = fileOf(target);
  if (!target.update && !existsSync(file)) {
    return skipped(`${path.basename(file)} is not there; --update writes it`);
  }
  const found = (await inventoryOf(target))[entry]?.[aspect];
  if (found === undefined) return unproven('the process was not found');
  if (target.update) return held('written');
  const expected = (JSON.parse(readFileSync(file, 'utf8')) as Inventory)[entry]?.[aspect];
  const [is, should] = [listed(found), listed(expected)];
  const [more, less] = [
    is.filter((line) => !should.includes(line)),
    should.filter((line) => !is.includes(line)),
  ];
  if (more.length + less.length === 0) return held();
  return breached(`it has ${JSON.stringify(more)}, and not ${JSON.stringify(less)}`);
}

function listed(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.map(String);
  return Object.entries(value ?? {}).map(([key, each]) => `${key} ${JSON.stringify(each)}`);
}

export const INVENTORY: readonly Attack[] = ENTRIES.flatMap((entry) => {
  return [...ASPECTS, FILE_ASPECT].map((aspect) => ({
    id: `${KIND}/${entry}/${aspect}`,
    class: KIND,
    tries: `The ${aspect} of ${entry} of a default pod are those that are checked in.`,
    modes: MODES,
    isHeavy: false,
    run: (target: Target) => compare(target, entry, aspect),
  }));
});
