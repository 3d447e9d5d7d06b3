/**
 * Defines the kind ComponentStatus: the health of the control plane. It is deprecated, and only old tools
 * read it. This control plane is one process, so if it responds, all components are healthy.
 */
import type { JsonObject } from '../../../lib/json.ts';
import { textColumn } from '../../objects/columns.ts';
import { objectsAt } from '../../objects/field-path.ts';
import { NAME, plainKind } from '../../objects/plain-kind.ts';

const PARTS = ['controller-manager', 'etcd-0', 'scheduler'];

export const componentStatuses = plainKind('v1', {
  kind: 'ComponentStatus',
  resource: 'componentstatuses',
  shortNames: ['cs'],
  verbs: ['get', 'list'],
  made: () => PARTS.map(describe),
  warning: 'v1 ComponentStatus is deprecated in v1.19+',
  columns: [
    NAME,
    textColumn('Status', 'Whether the part is healthy.', (object) =>
      isHealthy(object) ? 'Healthy' : 'Unhealthy',
    ),
    textColumn('Message', 'What the part said.', (object) => given(object, 'message')),
    textColumn('Error', 'What is wrong with it.', (object) => given(object, 'error')),
  ],
});

function describe(name: string): JsonObject {
  return {
    kind: 'ComponentStatus',
    apiVersion: 'v1',
    metadata: { name },
    conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
  };
}

function isHealthy(object: JsonObject): boolean {
  return objectsAt(object, 'conditions').some(({ status }) => status === 'True');
}

function given(object: JsonObject, field: string): string {
  const [condition] = objectsAt(object, 'conditions');
  const text = condition?.[field];
  return typeof text === 'string' ? text : '';
}
