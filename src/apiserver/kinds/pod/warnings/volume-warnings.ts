/** Warnings about volume sources that no longer work, and about files of one volume that hide each other. */
import type { JsonObject } from '../../../../lib/json.ts';
import {
  isGiven,
  readObject,
  readObjects,
  readStruct,
  readText,
} from '../../../../api/validation/json-reading.ts';
import { isWhole, printAmount, readAmount } from '../../../../api/validation/quantities.ts';

type Warnings = Generator<string, void>;

interface File {
  readonly path: string;
  readonly source: string;
}

/** `field`: the name in the API's warning, which is not always the real field name. */
const OLD_SOURCES: readonly (readonly [source: string, field: string, advice: string])[] = [
  ['photonPersistentDisk', 'photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'storageOS', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', '', ''],
  ['cephfs', 'cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

export function* warnAboutVolumes(spec: JsonObject): Warnings {
  const volumes = readObjects(spec['volumes']);
  for (const [index, volume] of volumes.entries()) {
    const path = `spec.volumes[${index}]`;
    for (const [source, field, advice] of OLD_SOURCES) {
      if (source === 'ephemeral') yield* warnAboutClaim(volume, path);
      else if (isGiven(volume[source])) yield `${path}.${field}: ${advice}`;
    }
  }
  for (const volume of volumes) yield* warnAboutFiles(volume);
}

function* warnAboutClaim(volume: JsonObject, path: string): Warnings {
  const template = readStruct(readStruct(volume['ephemeral'])['volumeClaimTemplate']);
  const resources = readStruct(readStruct(template['spec'])['resources']);
  for (const list of ['requests', 'limits']) {
    const { storage } = readStruct(resources[list]);
    if (isWhole(readAmount(storage))) continue;
    const field = `${path}.ephemeral.volumeClaimTemplate.spec.resources.${list}[storage]`;
    const shown = JSON.stringify(printAmount(storage));
    yield `${field}: fractional byte value ${shown} is invalid, must be an integer`;
  }
}

function* warnAboutFiles(volume: JsonObject): Warnings {
  const name = JSON.stringify(readText(volume['name']));
  const { configMap, secret, downwardAPI, projected } = volume;
  const sources: readonly (readonly [JsonObject | undefined, string])[] = [
    [readObject(configMap), `ConfigMap ${quote(readStruct(configMap)['name'])}`],
    [readObject(secret), `Secret ${quote(readStruct(secret)['secretName'])}`],
    [readObject(downwardAPI), 'DownwardAPI'],
  ];
  for (const [source, description] of sources) {
    if (!source) continue;
    for (const overlap of overlapsOf(filesOf(source, ''))) {
      yield `volume ${name} (${description}): overlapping paths: ${overlap}`;
    }
  }
  const all: File[] = [];
  for (const projection of readObjects(readStruct(projected)['sources'])) {
    if (!Object.values(projection).some(isGiven)) {
      yield `volume ${name} (Projected) has no sources provided`;
    }
    const files = projectedFilesOf(projection);
    for (const overlap of overlapsOf(files, all)) {
      yield `volume ${name} (Projected): overlapping paths: ${overlap}`;
    }
    all.push(...files);
  }
}

function projectedFilesOf(projection: JsonObject): readonly File[] {
  const { configMap, secret, downwardAPI, serviceAccountToken } = projection;
  const { clusterTrustBundle, podCertificate } = projection;
  if (isGiven(readStruct(configMap)['items'])) {
    return filesOf(readStruct(configMap), `ConfigMap ${quote(readStruct(configMap)['name'])}`);
  }
  if (isGiven(readStruct(secret)['items'])) {
    return filesOf(readStruct(secret), `Secret ${quote(readStruct(secret)['name'])}`);
  }
  if (isGiven(readStruct(downwardAPI)['items'])) {
    return filesOf(readStruct(downwardAPI), 'DownwardAPI');
  }
  if (isGiven(serviceAccountToken)) {
    return [fileAt(readStruct(serviceAccountToken), 'path', 'ServiceAccountToken')];
  }
  if (isGiven(clusterTrustBundle)) {
    const { name, signerName } = readStruct(clusterTrustBundle);
    const source = `ClusterTrustBundle ${quote(name ?? signerName)}`;
    return [fileAt(readStruct(clusterTrustBundle), 'path', source)];
  }
  const certificate = readStruct(podCertificate);
  return [
    fileAt(certificate, 'certificateChainPath', 'PodCertificate chain'),
    fileAt(certificate, 'keyPath', 'PodCertificate key'),
    fileAt(certificate, 'credentialBundlePath', 'PodCertificate credential bundle'),
  ].filter(({ path }) => path !== '');
}

function filesOf(source: JsonObject, description: string): readonly File[] {
  return readObjects(source['items']).map((item) => fileAt(item, 'path', description));
}

function fileAt(holder: JsonObject, field: string, source: string): File {
  return { path: readText(holder[field]).replace(/\/+$/, ''), source };
}

/** A file at the path of another file, or at a path that another file needs as a folder. */
function overlapsOf(files: readonly File[], before: readonly File[] = []): readonly string[] {
  const seen = [...before];
  return files.flatMap((file) => {
    const found = seen.filter((other) => overlaps(file.path, other.path));
    seen.push(file);
    return found.map((other) => `${print(file)} with ${print(other)}`);
  });
}

function overlaps(a: string, b: string): boolean {
  if (a === '' || b === '') return false;
  return `${a}/`.startsWith(`${b}/`) || `${b}/`.startsWith(`${a}/`);
}

function print({ path, source }: File): string {
  const quoted = JSON.stringify(path);
  return source === '' ? quoted : `${quoted} (${source})`;
}

function quote(value: unknown): string {
  return JSON.stringify(typeof value === 'string' ? value : '');
}
