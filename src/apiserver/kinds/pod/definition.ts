/** Defines the kind Pod: its names, columns and rules. */
import { structOf } from '../../../api/schema/schema.ts';
import type { KindDefinition } from '../../objects/kind.ts';
import { POD_COLUMNS, podRowConditions } from './columns.ts';
import { defaultPod } from '../../../api/pod-validation/defaults/pod-defaults.ts';
import { podGraceSeconds } from './deletion-grace.ts';
import { prepareForCreate, prepareForStatusUpdate, prepareForUpdate } from './preparation.ts';
import { podSelectableFields } from './selectable-fields.ts';
import { validatePodStatusUpdate } from './status/status-validation.ts';
import { validatePod, validatePodUpdate } from '../../../api/pod-validation/pod-validation.ts';
import { podWarnings } from './warnings/pod-warnings.ts';

export const POD: KindDefinition = {
  group: '',
  version: 'v1',
  kind: 'Pod',
  resource: 'pods',
  singular: 'pod',
  shortNames: ['po'],
  categories: ['all'],
  namespaced: true,
  type: structOf('core/v1.Pod'),
  verbs: ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'],
  subresources: [
    { name: 'binding', verbs: ['create'], kind: 'Binding', keepsGeneration: true },
    { name: 'ephemeralcontainers', verbs: ['get', 'patch', 'update'], kind: 'Pod' },
    { name: 'eviction', verbs: ['create'], group: 'policy', version: 'v1', kind: 'Eviction' },
    { name: 'resize', verbs: ['get', 'patch', 'update'], kind: 'Pod' },
    { name: 'status', verbs: ['get', 'patch', 'update'], kind: 'Pod' },
  ],
  rules: {
    applyDefaults: defaultPod,
    prepareForCreate,
    prepareForUpdate,
    validate: validatePod,
    validateUpdate: validatePodUpdate,
    prepareForStatusUpdate,
    validateStatusUpdate: validatePodStatusUpdate,
    warnings: podWarnings,
    selectableFields: podSelectableFields,
    gracePeriodSeconds: podGraceSeconds,
  },
  columns: POD_COLUMNS,
  rowConditions: podRowConditions,
};
