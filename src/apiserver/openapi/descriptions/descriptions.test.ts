import { describe, expect, test } from 'vitest';
import { structOf } from '../../../api/schema/schema.ts';
import type { Shape, StructType } from '../../../api/schema/shape.ts';
import { deployments } from '../../kinds/deployment.ts';
import { pods } from '../../kinds/pods.ts';
import { services } from '../../kinds/service.ts';
import { describeField, describeType, TYPES } from './descriptions.ts';

describe('descriptions', () => {
  test('are of types and fields that exist', () => {
    for (const [type, fields] of Object.entries(TYPES)) {
      for (const field of Object.keys(fields).filter((name) => name !== '')) {
        expect(structOf(type).field(field), `${type} ${field}`).toBeDefined();
      }
    }
  });

  test('are sentences', () => {
    for (const text of Object.values(TYPES).flatMap((fields) => Object.values(fields))) {
      expect(text).toMatch(/^[A-Z0-9$].*\.$/);
    }
  });

  test('of a field and of its type say two things, for explain prints both', () => {
    for (const kind of [pods, deployments, services]) {
      for (const type of typesIn(kind.type)) {
        for (const field of type.fields) {
          const inner = structIn(field.shape);
          const text = describeField(type, field);
          if (!inner || text === undefined) continue;
          expect(describeType(inner.name), `${type.name} ${field.name}`).not.toBe(text);
        }
      }
    }
  });

  test('are there for every field of a pod and its containers', () => {
    for (const name of ['PodSpec', 'Container', 'Probe', 'VolumeMount', 'ServiceSpec']) {
      const type = structOf(`core/v1.${name}`);
      const silent = type.fields.filter((field) => describeField(type, field) === undefined);
      expect(silent.map((field) => field.name)).toEqual([]);
    }
  });

  test('tell of a list, a spec and a condition by their names', () => {
    expect(describeType('core/v1.PodList')).toBe('A list of objects of the kind Pod.');
    expect(describeType('networking/v1.ServiceCIDRSpec')).toBe('What is wanted of a ServiceCIDR.');
    const condition = structOf('apps/v1.DeploymentCondition');
    const status = condition.field('status');
    expect(status && describeField(condition, status)).toBe('True, False or Unknown.');
  });

  test('are left out where nothing would be said', () => {
    expect(describeType('core/v1.FlockerVolumeSource')).toBeUndefined();
  });
});

/** The type, and all types in it. */
function typesIn(root: StructType | undefined): readonly StructType[] {
  const found = new Set<StructType>();
  const visit = (type: StructType | undefined): void => {
    if (!type || found.has(type)) return;
    found.add(type);
    for (const { shape } of type.fields) visit(structIn(shape));
  };
  visit(root);
  return [...found];
}

function structIn(shape: Shape): StructType | undefined {
  if (shape.kind === 'list') return structIn(shape.item);
  if (shape.kind === 'map') return structIn(shape.value);
  return shape.kind === 'struct' ? shape.type : undefined;
}
