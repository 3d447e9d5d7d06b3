/**
 * The entry point `podkeep/api`: Kubernetes' objects and values as plain JSON, with types of pods,
 * quantities, selectors, times, conditions, patches, and the schema of every built-in kind.
 *
 * Every function is pure. Errors that the caller can cause are `PodkeepError`s with a `code`.
 */

// Objects.
export type { Time, UID, ObjectMeta, OwnerReference } from './api/meta.ts';
export type {
  Pod,
  PodSpec,
  PodStatus,
  PodPhase,
  PodCondition,
  ConditionStatus,
  Container,
  ContainerResizePolicy,
  ContainerRestartRule,
  ContainerRestartRuleAction,
  ContainerState,
  ContainerStateRunning,
  ContainerStateTerminated,
  ContainerStateWaiting,
  ContainerStatus,
  ContainerUser,
  QosClass,
  RestartPolicy,
  VolumeMount,
  VolumeMountStatus,
} from './api/pod.ts';
export type { ResourceList, ResourceRequirements } from './api/resources.ts';
export type { Json, JsonObject } from './lib/json.ts';
export { PodkeepError, type Retry as ErrorRetry } from './lib/errors.ts';

// What a runtime reports about a pod.
export type {
  RuntimeContainer,
  RuntimeContainerState,
  RuntimePod,
  RuntimeResources,
  RuntimeSandbox,
} from './api/runtime-pod.ts';

// Conditions.
export {
  findCondition as findPodCondition,
  isConditionTrue as isPodConditionTrue,
  replaceOrAppendCondition as replaceOrAppendPodCondition,
  withTransitionTime as withConditionTransitionTime,
} from './api/condition.ts';

// Quantities.
export {
  ZERO_QUANTITY,
  addQuantities,
  compareQuantities,
  isZeroQuantity,
  multiplyQuantity,
  negateQuantity,
  quantityFromInteger,
  quantityFromMilli,
  quantityMilliValue,
  quantityValue,
  signOfQuantity,
  subtractQuantities,
  type Quantity,
  type QuantityFormat,
} from './api/values/quantity.ts';
export {
  formatQuantity,
  parseQuantity,
  readQuantity as quantityFromJson,
} from './api/values/quantity-text.ts';

// Selectors.
export {
  EVERYTHING as MATCH_ALL_LABELS,
  NOTHING as MATCH_NO_LABELS,
  checkRequirement as checkLabelRequirement,
  matchesLabels as matchesLabelSelector,
  selectorFromObject as labelSelectorFromObject,
  type LabelExpression,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  type LabelSelectorObject,
  type Labels,
} from './api/values/label-selector.ts';
export { formatLabelSelector, parseLabelSelector } from './api/values/label-selector-text.ts';
export {
  escapeFieldValue as escapeFieldSelectorValue,
  formatFieldSelector,
  matchesFields as matchesFieldSelector,
  parseFieldSelector,
  type FieldRequirement,
  type FieldSelector,
  type FieldValues,
} from './api/values/field-selector.ts';

// Times and durations.
export {
  compareTimes,
  formatMicroTime,
  formatTime,
  parseMicroTime,
  parseTime,
  sameInstant as isSameTime,
  secondsBetween as secondsBetweenTimes,
  truncateToSeconds as truncateTimeToSeconds,
  type Instant,
} from './api/values/time.ts';
export { formatGoDuration, parseGoDuration } from './api/values/time-duration.ts';

// The schema of every built-in kind.
export {
  kindOf as schemaKindOf,
  kinds as schemaKinds,
  openApiName as openApiDefinitionName,
  structOf as schemaStructOf,
  type KindType as SchemaKind,
} from './api/schema/schema.ts';
export type {
  Field as SchemaField,
  ListType as SchemaListType,
  PatchStrategy as SchemaPatchStrategy,
  Scalar as SchemaScalar,
  Shape as SchemaShape,
  Special as SchemaSpecialType,
  StructType as SchemaStruct,
  TypeName as SchemaTypeName,
} from './api/schema/shape.ts';

// Patches, and equality by meaning.
export { applyStrategicMergePatch } from './api/patch/strategic-merge-patch.ts';
export { createTwoWayMergePatch } from './api/patch/two-way-merge-patch.ts';
export { applyJsonMergePatch, createJsonMergePatch } from './api/patch/json-merge-patch.ts';
export { applyJsonPatch } from './api/patch/json-patch.ts';
export {
  semanticallyEqual as isSemanticallyEqual,
  shareEqualFields,
} from './api/values/semantic-equal.ts';
