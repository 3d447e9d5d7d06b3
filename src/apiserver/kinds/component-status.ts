/**
 * ComponentStatuses: what the control plane says of its own health. An old kind that only old tools
 * ask for; all parts of this control plane are one process, so whoever gets an answer knows it.
 */
import type { JsonObject } from '../../lib/json.ts';
import { textColumn } from './columns.ts';
import { objectsAt } from './field-path.ts';
import { NAME, plainKind } from './plain-kind.ts';

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
    textColumn('Message', 'What the part said.', (object) => said(object, 'message')),
    textColumn('Error', 'What is wrong with it.', (object) => said(object, 'error')),
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

function said(object: JsonObject, field: string): string {
  const [condition] = objectsAt(object, 'conditions');
  const text = condition?.[field];
  return typeof text === 'string' ? text : '';
}
