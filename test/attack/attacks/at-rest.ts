/**
 * What a disk that is stolen, copied or read by a backup shows of the Secrets that pods were given. The
 * store of the API server is left out: it holds the Secrets themselves, and has its own protection.
 */
import { readdirSync, readFileSync, type Dirent } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import type { Target } from '../harness/target.ts';
import { breached, held, MODES, unproven } from '../harness/types.ts';
import type { Attack, Outcome } from '../harness/types.ts';

const KIND = 'at-rest';
const VALUE = 'canary-of-a-secret-4e81d0a7';
const SECRETS = '/api/v1/namespaces/default/secrets';
const START_SECONDS = 60;

export const AT_REST: readonly Attack[] = [
  {
    id: `${KIND}/secrets-of-pods`,
    class: KIND,
    tries:
      'The value of a Secret that a pod has as a variable, argument and volume is on the disk.',
    modes: MODES,
    isHeavy: false,
    run: findSecret,
  },
];

async function findSecret(target: Target): Promise<Outcome> {
  const name = target.newName(KIND);
  const encoded = Buffer.from(VALUE).toString('base64');
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, data: { key: encoded } };
  await target.api.create(SECRETS, secret);
  const refusal = await target.create(podWith(name));
  if (refusal !== null) return unproven(refusal);
  // The pod has proved that it has the value when its probe has read both.
  const isReady = await target.podWhen(
    name,
    ({ status }) => status.containerStatuses?.[0]?.ready === true,
    START_SECONDS,
  );
  const found = filesWith([VALUE, encoded.replace(/=+$/, '')], target.data);
  await target.delete(name);
  if (!isReady) return unproven('the pod never had the value');
  return found.length === 0 ? held() : breached(found.join('; '));
}

function podWith(name: string): JsonObject {
  const check = `test "\${#KEY}" = ${VALUE.length} && test -s /secret/key && test -s /all/key`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      volumes: [
        { name: 'secret', secret: { secretName: name } },
        { name: 'all', projected: { sources: [{ secret: { name } }] } },
      ],
      containers: [
        {
          name: 'main',
          image: 'sh',
          command: ['sh', '-c', 'sleep 600; :', '$(KEY)'],
          env: [{ name: 'KEY', valueFrom: { secretKeyRef: { name, key: 'key' } } }],
          volumeMounts: [
            { name: 'secret', mountPath: '/secret' },
            { name: 'all', mountPath: '/all' },
          ],
          readinessProbe: { exec: { command: ['sh', '-c', check] }, periodSeconds: 1 },
        },
      ],
    },
  };
}

/** What is mounted on the folder is memory, and no disk. */
function filesWith(values: readonly string[], folder: string): readonly string[] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => line.split(' ')[4] ?? []);
  const isMounted = (file: string): boolean =>
    mounts.some((mount) => file.startsWith(`${mount}/`) && mount.startsWith(folder));
  const files = filesBelow(folder).filter((file) => !file.endsWith('.mdb'));
  return files.filter((file) => !isMounted(file) && holds(file, values));
}

/** Folders of other attackers may be removed meanwhile, so each is read on its own. */
function filesBelow(folder: string): readonly string[] {
  return entriesOf(folder).flatMap((entry) => {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(file);
    return entry.isFile() ? [file] : [];
  });
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function holds(file: string, values: readonly string[]): boolean {
  try {
    const text = readFileSync(file, 'latin1');
    return values.some((value) => text.includes(value));
  } catch {
    // It was removed while the others were read.
    return false;
  }
}
