/**
 * Pod Security check of volume types: a restricted pod may use volumes from the cluster, not from the node.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { isGiven, readText } from '../../../api/validation/json-reading.ts';
import { plural, quoteAll, sortedSet, type Check } from './check.ts';

const ALLOWED = [
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'image',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** If a volume has several of these sources, the first is reported. */
const RESTRICTED = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'gitRepo',
  'nfs',
  'iscsi',
  'glusterfs',
  'rbd',
  'flexVolume',
  'cinder',
  'cephfs',
  'flocker',
  'fc',
  'azureFile',
  'vsphereVolume',
  'quobyte',
  'azureDisk',
  'photonPersistentDisk',
  'portworxVolume',
  'scaleIO',
  'storageos',
];

export const restrictedVolumes: Check = ({ spec }) => {
  const bad = objectsAt(spec, 'volumes').filter((one) => !ALLOWED.some((type) => has(one, type)));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => readText(name));
  const types = sortedSet(bad.map((one) => RESTRICTED.find((type) => has(one, type)) ?? 'unknown'));
  const uses = names.length === 1 ? 'uses' : 'use';
  const what = `${plural('restricted volume type', types.length)} ${quoteAll(types)}`;
  return {
    reason: 'restricted volume types',
    detail: `${plural('volume', names.length)} ${quoteAll(names)} ${uses} ${what}`,
  };
};

function has(volume: JsonObject, type: string): boolean {
  return isGiven(volume[type]);
}
