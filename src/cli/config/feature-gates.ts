/**
 * Validates the field featureGates against the gates of Kubernetes v1.36 and their defaults.
 *
 * podkeep behaves according to these defaults and cannot switch gates. A file may set a gate to its default;
 * the opposite is refused, because it would have no effect.
 */
import { isJsonObject, type Json } from '../../lib/json.ts';
import { suggest } from './did-you-mean.ts';
import type { Kind } from './field-kinds.ts';
import type { ConfigPath } from './config-path.ts';

const ON = names(`
  APIResponseCompression APIServerIdentity APIServerTracing AggregatedDiscoveryRemoveBetaType
  AllowOverwriteTerminationGracePeriodSeconds AllowParsingUserUIDFromCertAuth
  AllowServiceExternalIPs AnonymousAuthConfigurableEndpoints AnyVolumeDataSource AtomicFIFO
  AuthorizeNodeWithSelectors AuthorizePodWebsocketUpgradeCreatePermission AuthorizeWithSelectors
  BtreeWatchCache CPUManagerPolicyBetaOptions CPUManagerPolicyOptions
  CRDObservedGenerationTracking CRDValidationRatcheting CSIServiceAccountTokenSecrets
  ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowTLSCacheGC
  ComponentFlagz ComponentStatusz ConsistentListFromCache ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules
  ContextualLogging CustomCPUCFSQuotaPeriod CustomResourceFieldSelectors DRAAdminAccess
  DRAConsumableCapacity DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource
  DRAPartitionableDevices DRAPrioritizedList DRAResourceClaimDeviceStatus
  DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout DeclarativeValidation
  DeclarativeValidationBeta DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency
  DisableAllocatorDualWrite DisableCPUQuotaWithExclusiveCPUs DisableNodeKubeProxyVersion
  DynamicResourceAllocation EnvFiles ExecProbeTimeout ExtendWebSocketsToKubelet
  ExternalServiceAccountTokenSigner GitRepoVolumeDriver GracefulNodeShutdown
  GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride
  ImageMaximumGCAge ImageVolume InOrderInformers InOrderInformersBatchProcess
  InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScaling
  InPlacePodVerticalScalingInitContainers InformerResourceVersion JobBackoffLimitPerIndex
  JobManagedBy JobPodReplacementPolicy JobSuccessPolicy KubeletCgroupDriverFromCRI
  KubeletCrashLoopBackOffMax KubeletEnsureSecretPulledImages KubeletFineGrainedAuthz KubeletPSI
  KubeletPodResourcesDynamicResources KubeletPodResourcesGet
  KubeletPodResourcesListUseActivePods KubeletSeparateDiskGC
  KubeletServiceAccountTokenForCredentialProviders KubeletTracing ListFromCacheSnapshot
  LogarithmicScaleDown LoggingBetaOptions LoggingStableOptions MatchLabelKeysInPodAffinity
  MatchLabelKeysInPodTopologySpread MatchLabelKeysInPodTopologySpreadSelectorMerge
  MultiCIDRServiceAllocator MutableCSINodeAllocatableCount MutablePodResourcesForSuspendedJobs
  MutableSchedulingDirectivesForSuspendedJobs MutatingAdmissionPolicy NFTablesProxyMode
  NodeDeclaredFeatures NodeInclusionPolicyInPodTopologySpread NodeLogQuery NodeSwap
  NominatedNodeNameForExpectation OpenAPIEnums OpportunisticBatching OrderedNamespaceDeletion
  PLEGOnDemandRelist PodDeletionCost PodLevelResources PodLifecycleSleepAction
  PodLifecycleSleepActionAllowZero PodObservedGenerationTracking
  PodReadyToStartContainersCondition PodSchedulingReadiness PodTopologyLabelsAdmission
  PortForwardWebsockets PreferSameTrafficDistribution PreventStaticPodAPIReferences
  ProcMountType RecoverVolumeExpansionFailure RecursiveReadOnlyMounts RelaxedDNSSearchValidation
  RelaxedEnvironmentVariableValidation RelaxedServiceNameValidation ReloadKubeletClientCAFile
  ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResilientWatchCacheInitialization
  ResourceHealthStatus ResourceHealthStatusMessage RestartAllContainersOnContainerExits
  RetryGenerateName RotateKubeletServerCertificate SELinuxChangePolicy
  SELinuxMountReadWriteOncePod SchedulerAsyncPreemption SchedulerPopFromBackoffQ
  SchedulerQueueingHints SeparateCacheWatchRPC SeparateTaintEvictionController
  ServiceAccountNodeAudienceRestriction ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
  ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo
  ServiceCIDRStatusFieldWiping SidecarContainers SizeBasedListCostEstimate
  StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob
  StaleControllerConsistencyReplicaSet StaleControllerConsistencyStatefulSet
  StatefulSetSemanticRevisionComparison StorageNamespaceIndex StorageVersionHash
  StreamingCollectionEncodingToJSON StreamingCollectionEncodingToProtobuf StrictIPCIDRValidation
  StructuredAuthenticationConfiguration StructuredAuthenticationConfigurationEgressSelector
  StructuredAuthenticationConfigurationJWKSMetrics SupplementalGroupsPolicy SystemdWatchdog
  TokenRequestServiceAccountUIDValidation TopologyManagerPolicyBetaOptions
  TopologyManagerPolicyOptions TranslateStreamCloseWebsocketRequests
  UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy
  UnlockWhileProcessingFIFO UserNamespacesSupport VolumeAttributesClass
  WatchCacheInitializationPostStartHook WatchList WatchListClient WinDSR WinOverlay
  WindowsGracefulNodeShutdown
`);

const OFF = names(`
  APIServingWithRoutine AllAlpha AllBeta AllowDNSOnlyNodeCSR
  AllowInsecureKubeletCertificateSigningRequests AllowUnsafeMalformedObjectDeletion
  CBORServingAndStorage CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth
  ChangeContainerStatusOnKubeletRestart ClientsAllowCBOR ClientsPreferCBOR
  CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook
  ClusterTrustBundle ClusterTrustBundleProjection
  ConcurrentWatchObjectDecode ContainerStopSignals CoordinatedLeaderElection
  CrossNamespaceVolumeDataSource DRADeviceTaintRules DRAListTypeAttributes
  DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims
  DeclarativeValidationTakeover EventedPLEG GangScheduling GenericWorkload HPAScaleToZero
  ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory KMSv1 KubeletInUserNamespace
  KubeletRegistrationGetOnExistsOnly LocalStorageCapacityIsolationFSQuotaMonitoring
  LoggingAlphaOptions ManifestBasedAdmissionControlConfig MaxUnavailableStatefulSet MemoryQoS
  MutablePVNodeAffinity NativeHistograms PersistentVolumeClaimUnusedSinceTime
  PodAndContainerStatsFromCRI PodCertificateRequest PodLevelResourceManagers
  PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay
  RuntimeClassInImageCriApi SELinuxMount SchedulerAsyncAPICalls ShardedListAndWatch
  StorageCapacityScoring StorageVersionAPI StorageVersionMigrator
  TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling
  TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport VolumeLimitScaling
  WindowsCPUAndMemoryAffinity WindowsHostNetwork WorkloadAwarePreemption WorkloadWithJob
`);

export const featureGates: Kind<Readonly<Record<string, boolean>>> = {
  initial: {},
  read(value, at) {
    if (!isJsonObject(value)) {
      at.addProblem('must be a mapping of gates to true or false');
      return {};
    }
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.flatMap(([gate, wanted]) => readGate(gate, wanted, at.field(gate))),
    );
  },
  write: (value) => (Object.keys(value).length === 0 ? undefined : value),
};

function readGate(gate: string, wanted: Json, at: ConfigPath): readonly [string, boolean][] {
  if (typeof wanted !== 'boolean') at.addProblem('must be true or false');
  else if (!ON.has(gate) && !OFF.has(gate)) {
    at.addProblem(`is not a feature gate of Kubernetes v1.36${suggest(gate, [...ON, ...OFF])}`);
  } else if (wanted !== ON.has(gate)) {
    at.addProblem(`cannot be ${wanted}: podkeep supports only ${!wanted}`);
  } else return [[gate, wanted]];
  return [];
}

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
