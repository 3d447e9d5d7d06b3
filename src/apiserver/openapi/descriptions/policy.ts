/** What goes first, what may be disturbed, and how many there should be. */
import type { DescriptionTable } from './description-table.ts';

export const POLICY: DescriptionTable = {
  'scheduling/v1.PriorityClass': {
    '': 'A name for how important pods are.',
    value: 'How important: the higher, the more.',
    globalDefault: 'Whether pods that name no class are of this one.',
    description: 'What it is for.',
    preemptionPolicy: 'Whether less important pods may be ended to make room.',
  },
  'policy/v1.PodDisruptionBudget': {
    '': 'How many pods of a sort may be missing while somebody works on the cluster.',
  },
  'policy/v1.PodDisruptionBudgetSpec': {
    '': 'How many pods may be missing.',
    minAvailable: 'How many must be there: a number or a percentage.',
    maxUnavailable: 'How many may be missing: a number or a percentage.',
    selector: 'Which pods.',
    unhealthyPodEvictionPolicy: 'Whether pods that are not ready may always be evicted.',
  },
  'policy/v1.PodDisruptionBudgetStatus': {
    '': 'How many pods may be missing now.',
    disruptedPods: 'Pods that were evicted and are not gone yet, and since when.',
    disruptionsAllowed: 'How many may be evicted now.',
    currentHealthy: 'How many are healthy.',
    desiredHealthy: 'How many have to be healthy.',
    expectedPods: 'How many are counted.',
  },
  'autoscaling/v2.HorizontalPodAutoscaler': {
    '': 'Changes the number of replicas of something by what is measured.',
  },
  'autoscaling/v2.HorizontalPodAutoscalerSpec': {
    '': 'What is scaled, and by what.',
    scaleTargetRef: 'What is scaled.',
    minReplicas: 'How many replicas there are at least. 1 by default.',
    maxReplicas: 'How many replicas there are at most.',
    metrics: 'What is measured. The one that asks for the most replicas counts.',
    behavior: 'How fast it goes up and down.',
  },
  'autoscaling/v2.HorizontalPodAutoscalerStatus': {
    '': 'What is seen of an autoscaler.',
    lastScaleTime: 'When it last changed the number.',
    currentReplicas: 'How many replicas there were.',
    desiredReplicas: 'How many it wants.',
    currentMetrics: 'What was last measured.',
  },
  'autoscaling/v1.HorizontalPodAutoscaler': {
    '': 'Changes the number of replicas of something by its use of CPU.',
  },
  'autoscaling/v1.HorizontalPodAutoscalerSpec': {
    '': 'What is scaled.',
    scaleTargetRef: 'The object that is scaled.',
    minReplicas: 'How many replicas there are at least. 1 by default.',
    maxReplicas: 'How many replicas there are at most.',
    targetCPUUtilizationPercentage: 'How much of the CPU that they ask for its pods should use.',
  },
  'autoscaling/v2.MetricSpec': {
    '': 'Something that is measured, and what it should be.',
    type: 'Resource, ContainerResource, Pods, Object or External.',
    object: 'A value of an object.',
    pods: 'A value of each pod.',
    resource: 'A resource of the pods, such as cpu.',
    containerResource: 'A resource of one container of each pod.',
    external: 'A value from outside the cluster.',
  },
  'autoscaling/v2.MetricTarget': {
    '': 'What a value should be.',
    type: 'Utilization, Value or AverageValue.',
    value: 'The value.',
    averageValue: 'The value for each pod, on average.',
    averageUtilization: 'The percentage of what the pods ask for, on average.',
  },
  'autoscaling/v2.MetricIdentifier': {
    '': 'A value that is measured.',
    name: 'Its name.',
    selector: 'Which of several, by labels.',
  },
  'autoscaling/v2.HorizontalPodAutoscalerBehavior': {
    '': 'How fast the number of replicas changes.',
    scaleUp: 'When there are to be more.',
    scaleDown: 'When there are to be fewer.',
  },
  'autoscaling/v2.HPAScalingRules': {
    '': 'How fast the number of replicas changes in one direction.',
    stabilizationWindowSeconds: 'How many seconds of the past count.',
    selectPolicy: 'Max, Min, or Disabled: which of the policies counts.',
    policies: 'How much it may change in some time.',
    tolerance: 'How far from its target a value may be before anything changes.',
  },
  'autoscaling/v2.HPAScalingPolicy': {
    '': 'How much the number of replicas may change in some time.',
    type: 'Pods or Percent.',
    value: 'How much.',
    periodSeconds: 'In how many seconds.',
  },
};
