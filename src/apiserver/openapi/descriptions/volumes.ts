/** Volumes of pods, and where their content comes from. */
import type { DescriptionTable } from './description-table.ts';

const MODE = 'The rights of the files, as a number. Written in JSON, it is decimal.';

/** Sources that volumes of pods and persistent volumes have in common. */
export const SHARED_SOURCES = {
  gcePersistentDisk: 'A disk of Google Compute Engine.',
  awsElasticBlockStore: 'A disk of Amazon EC2.',
  nfs: 'A share of NFS.',
  iscsi: 'A disk that is reached by iSCSI.',
  glusterfs: 'A volume of Gluster.',
  rbd: 'A block device of Ceph.',
  flexVolume: 'A volume of a FlexVolume driver.',
  cinder: 'A volume of OpenStack.',
  cephfs: 'A directory of Ceph.',
  flocker: 'A volume of Flocker.',
  fc: 'A disk that is reached by Fibre Channel.',
  azureFile: 'A share of Azure Files.',
  vsphereVolume: 'A disk of vSphere.',
  quobyte: 'A volume of Quobyte.',
  azureDisk: 'A disk of Azure.',
  photonPersistentDisk: 'A disk of Photon.',
  portworxVolume: 'A volume of Portworx.',
  scaleIO: 'A volume of ScaleIO.',
  storageos: 'A volume of StorageOS.',
};

export const VOLUMES: DescriptionTable = {
  'core/v1.Volume': {
    '': 'A directory that containers of the pod can mount.',
    name: 'The name of the volume, unique in the pod.',
    ...SHARED_SOURCES,
    hostPath: 'Something of the node itself.',
    emptyDir: 'A directory that is empty at first, and lives as long as the pod.',
    gitRepo: 'A git repository. Not supported any more.',
    secret: 'A Secret.',
    persistentVolumeClaim: 'The volume that a claim in the same namespace has got.',
    downwardAPI: 'What the pod says of itself.',
    configMap: 'A ConfigMap.',
    projected: 'Several of these together.',
    csi: 'A volume that a CSI driver makes for this pod.',
    ephemeral: 'A claim that is made for this pod and goes with it.',
    image: 'The content of an image, to be read only.',
  },
  'core/v1.EmptyDirVolumeSource': {
    '': 'A directory that is empty at first.',
    medium: 'Memory: keep it in memory. Empty: on the disk of the node.',
    sizeLimit: 'How much it may hold.',
  },
  'core/v1.HostPathVolumeSource': {
    '': 'A file or directory of the node.',
    path: 'Its path on the node.',
    type: 'What has to be there, or is made: Directory, DirectoryOrCreate, File and others. Empty: nothing is checked.',
  },
  'core/v1.ConfigMapVolumeSource': {
    '': 'The keys of a ConfigMap, as files.',
    name: 'The name of the ConfigMap.',
    items: 'Which keys, and how their files are called. All keys by default.',
    defaultMode: MODE,
    optional: 'Whether the ConfigMap and its keys may be missing.',
  },
  'core/v1.SecretVolumeSource': {
    '': 'The keys of a Secret, as files.',
    secretName: 'The name of the Secret.',
    items: 'Which keys, and how their files are called. All keys by default.',
    defaultMode: MODE,
    optional: 'Whether the Secret and its keys may be missing.',
  },
  'core/v1.KeyToPath': {
    '': 'A key, and the file that it becomes.',
    key: 'The key.',
    path: 'The path of the file, below that of the volume.',
    mode: MODE,
  },
  'core/v1.DownwardAPIVolumeSource': {
    '': 'Fields of the pod, as files.',
    items: 'The files.',
    defaultMode: MODE,
  },
  'core/v1.DownwardAPIVolumeFile': {
    '': 'A file with a field of the pod.',
    path: 'The path of the file, below that of the volume.',
    fieldRef: 'A field of the pod: its labels, annotations, name, namespace or UID.',
    resourceFieldRef: 'A resource of a container.',
    mode: MODE,
  },
  'core/v1.ProjectedVolumeSource': {
    '': 'Several sources in one directory.',
    sources: 'The sources.',
    defaultMode: MODE,
  },
  'core/v1.VolumeProjection': {
    '': 'One source of a projected volume.',
    secret: 'The keys of a Secret.',
    downwardAPI: 'Fields of the pod.',
    configMap: 'The keys of a ConfigMap.',
    serviceAccountToken: 'A token of the service account, which is renewed in time.',
    clusterTrustBundle: 'Certificates of ClusterTrustBundles.',
    podCertificate: 'A key and a certificate, which are renewed in time.',
  },
  'core/v1.ServiceAccountTokenProjection': {
    '': 'A token of the service account, as a file.',
    audience: 'For whom the token is meant. The API server by default.',
    expirationSeconds: 'For how many seconds it is good. An hour by default.',
    path: 'The path of the file, below that of the volume.',
  },
  'core/v1.PersistentVolumeClaimVolumeSource': {
    '': 'The volume that a claim has got.',
    claimName: 'The name of the claim, in the namespace of the pod.',
    readOnly: 'Whether it can only be read.',
  },
  'core/v1.EphemeralVolumeSource': {
    '': 'A claim that is made for a pod and goes with it.',
    volumeClaimTemplate: 'What the claim looks like. It is called after the pod and the volume.',
  },
  'core/v1.NFSVolumeSource': {
    '': 'A directory of an NFS server.',
    server: 'The server.',
    path: 'The directory that it exports.',
    readOnly: 'Whether it can only be read.',
  },
  'core/v1.CSIVolumeSource': {
    '': 'A volume that a CSI driver makes for a pod.',
    driver: 'The driver.',
    volumeAttributes: 'What the driver is told; see its own documentation.',
    nodePublishSecretRef: 'What the driver needs to prove itself.',
  },
  'core/v1.ImageVolumeSource': {
    '': 'The content of an image.',
    reference: 'The image.',
    pullPolicy: 'When it is pulled: Always, IfNotPresent or Never.',
  },
};
