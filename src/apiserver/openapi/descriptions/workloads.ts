/** What makes pods and keeps as many of them as are wanted. */
import type { DescriptionTable } from './description-table.ts';

const TEMPLATE = 'The pattern of its pods.';
const SELECTOR = 'Which pods are its own. The labels of the template have to fit.';
const MIN_READY = 'For how many seconds a pod must be ready before it counts as available.';
const HISTORY = 'How many old revisions are kept to go back to.';
const COLLISIONS = 'How often the name of a revision was taken; the next name depends on it.';

const COUNTS = {
  replicas: 'How many pods there are.',
  readyReplicas: 'How many of them are ready.',
  availableReplicas: 'How many of them have been ready for long enough.',
};

const TERMINATING = 'How many pods of it are about to end.';
const LABELED = 'How many of them have all labels of the template.';

export const WORKLOADS: DescriptionTable = {
  'apps/v1.Deployment': { '': 'Keeps a number of equal pods, and replaces them step by step.' },
  'apps/v1.DeploymentSpec': {
    '': 'What is wanted of a Deployment.',
    replicas: 'How many pods there should be. 1 by default.',
    selector: SELECTOR,
    template: TEMPLATE,
    strategy: 'How old pods are replaced by new ones.',
    minReadySeconds: MIN_READY,
    revisionHistoryLimit: HISTORY,
    paused: 'Whether changes of the template wait.',
    progressDeadlineSeconds: 'After how many seconds without progress it counts as failed.',
  },
  'apps/v1.DeploymentStrategy': {
    '': 'A strategy for the change from one template to the next.',
    type: 'RollingUpdate, or Recreate: first end all of the old.',
    rollingUpdate: 'For RollingUpdate: how fast.',
  },
  'apps/v1.RollingUpdateDeployment': {
    '': 'How fast pods are replaced.',
    maxUnavailable: 'How many may be missing meanwhile: a number or a percentage.',
    maxSurge: 'How many more there may be meanwhile: a number or a percentage.',
  },
  'apps/v1.DeploymentStatus': {
    '': 'What is seen of a Deployment.',
    ...COUNTS,
    updatedReplicas: 'How many of them are of the current template.',
    terminatingReplicas: TERMINATING,
    unavailableReplicas: 'How many are missing.',
    collisionCount: COLLISIONS,
  },
  'apps/v1.ReplicaSet': {
    '': 'Keeps a number of equal pods. Most are made by a Deployment.',
  },
  'apps/v1.ReplicaSetSpec': {
    '': 'What is wanted of a ReplicaSet.',
    replicas: 'How many pods there should be. 1 by default.',
    selector: SELECTOR,
    template: TEMPLATE,
    minReadySeconds: MIN_READY,
  },
  'apps/v1.ReplicaSetStatus': {
    '': 'What is seen of a ReplicaSet.',
    ...COUNTS,
    terminatingReplicas: TERMINATING,
    fullyLabeledReplicas: LABELED,
  },
  'core/v1.ReplicationController': {
    '': 'Keeps a number of equal pods. Deployments have taken its place.',
  },
  'core/v1.ReplicationControllerSpec': {
    '': 'What is wanted of a ReplicationController.',
    replicas: 'How many pods there should be. 1 by default.',
    selector: 'Which pods are its own, by their labels.',
    template: TEMPLATE,
    minReadySeconds: MIN_READY,
  },
  'core/v1.ReplicationControllerStatus': {
    '': 'What is seen of a ReplicationController.',
    ...COUNTS,
    fullyLabeledReplicas: LABELED,
  },
  'apps/v1.StatefulSet': {
    '': 'Keeps pods that have a number, a name of their own and volumes that stay theirs.',
  },
  'apps/v1.StatefulSetSpec': {
    '': 'What is wanted of a StatefulSet.',
    replicas: 'How many pods there should be. 1 by default.',
    selector: SELECTOR,
    template: TEMPLATE,
    volumeClaimTemplates: 'Claims that every pod gets for itself.',
    serviceName: 'The service under which the pods have their names.',
    podManagementPolicy: 'OrderedReady: one after the other. Parallel: all at once.',
    updateStrategy: 'How old pods are replaced by new ones.',
    revisionHistoryLimit: HISTORY,
    minReadySeconds: MIN_READY,
    persistentVolumeClaimRetentionPolicy: 'What becomes of the claims of pods that go.',
    ordinals: 'How the pods are numbered.',
  },
  'apps/v1.StatefulSetStatus': {
    '': 'What is seen of a StatefulSet.',
    ...COUNTS,
    currentReplicas: 'How many of them are of the revision before.',
    updatedReplicas: 'How many of them are of the new revision.',
    currentRevision: 'The revision before.',
    updateRevision: 'The new revision.',
    collisionCount: COLLISIONS,
  },
  'apps/v1.StatefulSetUpdateStrategy': {
    '': 'A strategy for the change from one template to the next.',
    type: 'RollingUpdate, or OnDelete: when somebody deletes them.',
    rollingUpdate: 'For RollingUpdate: which pods, and how fast.',
  },
  'apps/v1.DaemonSet': { '': 'Keeps one pod on every node, or on every node of some sort.' },
  'apps/v1.DaemonSetSpec': {
    '': 'What is wanted of a DaemonSet.',
    selector: SELECTOR,
    template: TEMPLATE,
    updateStrategy: 'How old pods are replaced by new ones.',
    minReadySeconds: MIN_READY,
    revisionHistoryLimit: HISTORY,
  },
  'apps/v1.DaemonSetUpdateStrategy': {
    '': 'A strategy for the change from one template to the next.',
    type: 'RollingUpdate, or OnDelete: when somebody deletes them.',
    rollingUpdate: 'For RollingUpdate: how fast.',
  },
  'apps/v1.DaemonSetStatus': {
    '': 'What is seen of a DaemonSet.',
    currentNumberScheduled: 'How many nodes have its pod and should.',
    numberMisscheduled: 'How many nodes have its pod and should not.',
    desiredNumberScheduled: 'How many nodes should have its pod.',
    numberReady: 'On how many nodes it is ready.',
    updatedNumberScheduled: 'On how many nodes it is of the current template.',
    numberAvailable: 'On how many nodes it has been ready for long enough.',
    numberUnavailable: 'On how many nodes it is missing.',
    collisionCount: COLLISIONS,
  },
  'apps/v1.ControllerRevision': {
    '': 'A state of a StatefulSet or DaemonSet that was, kept to go back to.',
    data: 'The state.',
    revision: 'Its number.',
  },
  'batch/v1.Job': { '': 'Runs pods until enough of them have succeeded.' },
  'batch/v1.JobSpec': {
    '': 'What is wanted of a Job.',
    parallelism: 'How many pods may run at once.',
    completions: 'How many pods have to succeed.',
    activeDeadlineSeconds: 'How many seconds the job may take.',
    podFailurePolicy: 'What failed pods mean, by their exit codes and conditions.',
    successPolicy: 'When the job has succeeded before all pods have.',
    backoffLimit: 'How many pods may fail before the job does. 6 by default.',
    backoffLimitPerIndex: 'How many pods of the same index may fail.',
    maxFailedIndexes: 'How many indexes may fail before the job does.',
    selector: 'Which pods are its own. The server sets it.',
    manualSelector: 'Whether the selector was chosen by hand.',
    template: TEMPLATE,
    ttlSecondsAfterFinished: 'How many seconds after its end the job is deleted.',
    completionMode: 'NonIndexed: any pods count. Indexed: every pod has a number.',
    suspend: 'Whether it has to wait, without any pods.',
    podReplacementPolicy: 'When a pod is replaced: TerminatingOrFailed or Failed.',
    managedBy: 'Who runs the job, if not the controller that comes with the cluster.',
  },
  'batch/v1.JobStatus': {
    '': 'What is seen of a Job.',
    startTime: 'When it was started.',
    completionTime: 'When it has succeeded.',
    active: 'How many pods run or are about to.',
    succeeded: 'How many pods have succeeded.',
    failed: 'How many pods have failed.',
    terminating: 'How many pods are about to end.',
    ready: 'How many pods are ready.',
    completedIndexes: 'Which indexes have succeeded, such as 1,3-5.',
    failedIndexes: 'Which indexes have failed.',
    uncountedTerminatedPods: 'Pods that have ended and are not counted yet.',
  },
  'batch/v1.JobTemplateSpec': {
    '': 'The pattern by which jobs are made.',
    metadata: 'The labels and annotations of the jobs.',
    spec: 'What is wanted of the jobs.',
  },
  'batch/v1.CronJob': { '': 'Makes a Job again and again, by the clock.' },
  'batch/v1.CronJobSpec': {
    '': 'What is wanted of a CronJob.',
    schedule: 'When, in the words of cron, such as */5 * * * *.',
    timeZone: 'The time zone of the schedule.',
    startingDeadlineSeconds: 'How many seconds late a job may be made.',
    concurrencyPolicy: 'If the one before still runs: Allow, Forbid or Replace.',
    suspend: 'Whether no more jobs are made.',
    jobTemplate: 'The pattern of its jobs.',
    successfulJobsHistoryLimit: 'How many jobs that succeeded are kept. 3 by default.',
    failedJobsHistoryLimit: 'How many jobs that failed are kept. 1 by default.',
  },
  'batch/v1.CronJobStatus': {
    '': 'What is seen of a CronJob.',
    active: 'Jobs that run.',
    lastScheduleTime: 'When the last job was made.',
    lastSuccessfulTime: 'When a job last succeeded.',
  },
  'autoscaling/v1.Scale': { '': 'How many replicas something has, whatever it is.' },
  'autoscaling/v1.ScaleSpec': {
    '': 'How many replicas are wanted.',
    replicas: 'How many there should be.',
  },
  'autoscaling/v1.ScaleStatus': {
    '': 'How many replicas there are.',
    replicas: 'How many there are.',
    selector: 'The labels of their pods, as a text.',
  },
  'apps/v1.RollingUpdateDaemonSet': {
    '': 'How fast pods are replaced.',
    maxUnavailable: 'On how many nodes it may be missing meanwhile: a number or a percentage.',
    maxSurge: 'On how many nodes there may be two meanwhile: a number or a percentage.',
  },
  'apps/v1.RollingUpdateStatefulSetStrategy': {
    '': 'Which pods are replaced, and how fast.',
    partition: 'Only pods with this number or a higher one.',
    maxUnavailable: 'How many may be missing meanwhile: a number or a percentage.',
  },
  'apps/v1.StatefulSetOrdinals': {
    '': 'How pods are numbered.',
    start: 'The first number. 0 by default.',
  },
  'apps/v1.StatefulSetPersistentVolumeClaimRetentionPolicy': {
    '': 'When claims are deleted, and when they are kept.',
    whenDeleted: 'When the set is deleted: Retain or Delete.',
    whenScaled: 'When there are to be fewer pods: Retain or Delete.',
  },
  'batch/v1.PodFailurePolicy': {
    '': 'What failed pods mean for a job.',
    rules: 'The first rule that fits counts.',
  },
  'batch/v1.PodFailurePolicyRule': {
    '': 'What some failures mean.',
    action: 'FailJob, FailIndex, Ignore or Count.',
    onExitCodes: 'Failures by exit code.',
    onPodConditions: 'Failures by the conditions of the pod.',
  },
  'batch/v1.SuccessPolicy': {
    '': 'When a job has succeeded.',
    rules: 'One of them has to hold.',
  },
  'batch/v1.SuccessPolicyRule': {
    '': 'Indexes that have to succeed.',
    succeededIndexes: 'Which, such as 1,3-5.',
    succeededCount: 'How many of them.',
  },
};
