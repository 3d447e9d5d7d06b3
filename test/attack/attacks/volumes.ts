/**
 * Volumes that the kubelet makes and fills, and folders of the machine: a container must not change the
 * content of a Secret, a ConfigMap or a projected volume, and gains no rights by files of the machine.
 */
import { copyFileSync, chmodSync, mkdirSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { JsonObject } from '../../../src/lib/json.ts';
import { volumeFiles } from '../harness/node-files.ts';
import { podAttack } from '../harness/pod-attack.ts';
import { ATTACKER, type PodShape } from '../harness/pods.ts';
import type { Target } from '../harness/target.ts';
import type { Attack } from '../harness/types.ts';

const KIND = 'volumes';
const OWN = 'attackers-own';
const CONTENT = 'as the API has it';

/** The objects that attackers may read, once for each run. */
async function offerObjects(target: Target): Promise<void> {
  await target.once('battery objects of attackers', async () => {
    const metadata = { name: OWN };
    const base = '/api/v1/namespaces/default';
    const data = { word: CONTENT };
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata, stringData: data };
    await target.create(secret, `${base}/secrets`);
    await target.create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
      `${base}/configmaps`,
    );
  });
}

const SOURCES: Readonly<Record<string, JsonObject>> = {
  secret: { secret: { secretName: OWN } },
  'config-map': { configMap: { name: OWN } },
  projected: { projected: { sources: [{ secret: { name: OWN } }, { configMap: { name: OWN } }] } },
  'downward-api': {
    downwardAPI: { items: [{ path: 'word', fieldRef: { fieldPath: 'metadata.name' } }] },
  },
};

const CHANGE = `
for f in /o/word /o/..data/word; do { echo changed >$f; } 2>/dev/null; chmod 777 $f 2>/dev/null; done
{ echo changed >/o/made; ln -s / /o/link; ln -sfn $TRUSTED_HOME /o/..data; mv /o/..data /o/..old; rm -rf /o/word /o/..data; } 2>/dev/null
mount -o remount,rw,bind /o 2>/dev/null; { echo changed >/o/word; } 2>/dev/null; true`;

function changeAttack(kind: string, source: JsonObject, as: 'restricted' | 'root'): Attack {
  return podAttack({
    class: KIND,
    id: `${kind}-write-${as}`,
    tries: `A container (${as}) changes its ${kind} volume.`,
    pod: async (target) => {
      await offerObjects(target);
      return {
        as,
        container: { volumeMounts: [{ name: 'object', mountPath: '/o' }] },
        spec: { volumes: [{ name: 'object', ...source }] },
      };
    },
    script: `${CHANGE}; echo READY; exec sleep 60`,
    drive: async () => '',
    check: ({ data }, { uid, name }) => {
      const files = volumeFiles(data, uid, 'object');
      const words = files.filter(({ file }) => file.endsWith('/word')).map(({ text }) => text);
      if (words.length === 0) return 'the file of the volume is gone';
      if (words.some((text) => text !== CONTENT && text !== name)) return `it reads ${words[0]}`;
      return files.some(({ file }) => /\/(?:made|link)$/.test(file))
        ? 'a file was made'
        : undefined;
    },
  });
}

const badItems = (id: string, volume: (at: string) => JsonObject, at: string): Attack =>
  podAttack({
    class: KIND,
    id,
    tries: `A volume has a file at ${at}, outside of the volume.`,
    pod: async (target) => {
      await offerObjects(target);
      return {
        container: { volumeMounts: [{ name: 'object', mountPath: '/o' }] },
        spec: { volumes: [{ name: 'object', ...volume(at) }] },
      };
    },
    script: 'true',
    mayRefuse: /must not contain '\.\.'|must be a relative path|must not start with|\.\./i,
    seconds: 8,
  });

/** A folder of the machine with what would give rights, made for the run. */
function hostFolder({ folder }: Target): string {
  const place = path.join(folder, 'host');
  mkdirSync(place, { recursive: true });
  chmodSync(folder, 0o711);
  execFileSync('rm', ['-f', `${place}/device`, `${place}/root-sh`]);
  execFileSync('mknod', ['-m', '666', `${place}/device`, 'c', '1', '5']);
  copyFileSync('/bin/sh', `${place}/root-sh`);
  chmodSync(`${place}/root-sh`, 0o4755);
  return place;
}

const withHostFolder =
  (shape: PodShape) =>
  (target: Target): PodShape => ({
    ...shape,
    container: { ...shape.container, volumeMounts: [{ name: 'host', mountPath: '/host' }] },
    spec: { ...shape.spec, volumes: [{ name: 'host', hostPath: { path: hostFolder(target) } }] },
  });

const ASK_USER = `/host/root-sh -p -c 'id -u' | while read -r u; do [ "$u" = 0 ] && echo "SUCCEEDED: it is user 0"; done; echo TRIED`;
const ordinary = { runAsUser: ATTACKER, runAsGroup: ATTACKER };

export const VOLUMES: readonly Attack[] = [
  ...Object.entries(SOURCES).flatMap(([kind, source]) => [
    changeAttack(kind, source, 'restricted'),
    changeAttack(kind, source, 'root'),
  ]),
  ...['../made', '..', '/etc/made', 'a/../../made', '..data/../../made'].flatMap((at, index) => [
    badItems(
      `secret-items-${index}`,
      (file) => ({ secret: { secretName: OWN, items: [{ key: 'word', path: file }] } }),
      at,
    ),
    badItems(
      `projected-items-${index}`,
      (file) => ({
        projected: {
          sources: [{ configMap: { name: OWN, items: [{ key: 'word', path: file }] } }],
        },
      }),
      at,
    ),
  ]),
  podAttack({
    class: KIND,
    id: 'host-path-device',
    tries: 'User 0 of a container opens a device that lies in a folder of the machine.',
    modes: ['root'],
    pod: withHostFolder({ as: 'root' }),
    script:
      '[ -c /host/device ] && { head -c 1 </host/device >/dev/null; } 2>/dev/null && echo "SUCCEEDED: the device was opened"; echo TRIED',
    proof: /^TRIED/m,
  }),
  podAttack({
    class: KIND,
    id: 'host-path-setuid',
    tries:
      'A container with users of the machine runs a setuid program of a folder of the machine.',
    modes: ['root'],
    pod: withHostFolder({
      as: 'default',
      container: { securityContext: ordinary },
      spec: { hostUsers: true },
    }),
    script: ASK_USER,
    proof: /^TRIED/m,
  }),
];
