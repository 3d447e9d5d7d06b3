/**
 * Lists where kube-apiserver's internal types differ from the wire form: names that are not just capitalised,
 * fields in another order, and fields that the internal type has in the security context instead of the spec.
 */

/** By field name, or by type and field name where a name is irregular in one type only. */
export const INTERNAL_NAMES: Readonly<Record<string, string>> = {
  apiGroup: 'APIGroup',
  apiVersion: 'APIVersion',
  awsElasticBlockStore: 'AWSElasticBlockStore',
  cephfs: 'CephFS',
  chapAuthDiscovery: 'DiscoveryCHAPAuth',
  chapAuthSession: 'SessionCHAPAuth',
  csi: 'CSI',
  diskURI: 'DataDiskURI',
  dnsConfig: 'DNSConfig',
  dnsPolicy: 'DNSPolicy',
  endpoints: 'EndpointsName',
  fc: 'FC',
  fsGroup: 'FSGroup',
  fsGroupChangePolicy: 'FSGroupChangePolicy',
  fsType: 'FSType',
  gcePersistentDisk: 'GCEPersistentDisk',
  gmsaCredentialSpec: 'GMSACredentialSpec',
  gmsaCredentialSpecName: 'GMSACredentialSpecName',
  grpc: 'GRPC',
  httpGet: 'HTTPGet',
  httpHeaders: 'HTTPHeaders',
  ip: 'IP',
  iqn: 'IQN',
  iscsi: 'ISCSI',
  iscsiInterface: 'ISCSIInterface',
  nfs: 'NFS',
  os: 'OS',
  pdName: 'PDName',
  rbd: 'RBD',
  seLinuxChangePolicy: 'SELinuxChangePolicy',
  seLinuxOptions: 'SELinuxOptions',
  sslEnabled: 'SSLEnabled',
  storageos: 'StorageOS',
  tcpSocket: 'TCPSocket',
  tty: 'TTY',
  wwids: 'WWIDs',
  'RBDVolumeSource.image': 'RBDImage',
  'RBDVolumeSource.monitors': 'CephMonitors',
  'RBDVolumeSource.pool': 'RBDPool',
  'RBDVolumeSource.user': 'RadosUser',
};

/** By type: each first field comes directly before the second. */
export const INTERNAL_ORDERS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'core/v1.PodSpec': [
    ['setHostnameAsFQDN', 'affinity'],
    ['preemptionPolicy', 'dnsConfig'],
    ['overhead', 'enableServiceLinks'],
  ],
  'core/v1.PodSecurityContext': [['fsGroupChangePolicy', 'sysctls']],
  'core/v1.Volume': [['quobyte', 'flexVolume']],
};

/** Fields of the spec that are in the internal security context, in Go's order. */
export const MOVED_TO_SECURITY_CONTEXT = [
  'hostNetwork',
  'hostPID',
  'hostIPC',
  'shareProcessNamespace',
  'hostUsers',
] as const;
