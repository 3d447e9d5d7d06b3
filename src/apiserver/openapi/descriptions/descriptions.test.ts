import { describe, expect, test } from 'vitest';
import { isEcho } from '../../../../test/support/description-echo.ts';
import { structOf } from '../../../api/schema/schema.ts';
import type { Shape, StructType } from '../../../api/schema/shape.ts';
import { deployments } from '../../kinds/apps/deployment.ts';
import { pods } from '../../kinds/core/pods.ts';
import { services } from '../../kinds/networking/service.ts';
import { describeField, describeType, TYPES } from './descriptions.ts';

describe('descriptions', () => {
  test('belong to types and fields that exist', () => {
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

  test('do not only repeat the name of their field', () => {
    expect(isEcho('kernelVersion', 'The version of the kernel.')).toBe(true);
    expect(isEcho('port', 'The port that the probe asks.')).toBe(false);
    const echoes = Object.entries(TYPES).flatMap(([type, fields]) =>
      Object.entries(fields).filter(([field, text]) =>
        isEcho(field || type.slice(type.lastIndexOf('.') + 1), text),
      ),
    );
    expect(echoes).toEqual([]);
  });

  test('of a field and of its type differ, because kubectl explain prints both', () => {
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

  test('of what every object has begin as conformance tests of kubectl explain look for', () => {
    const pod = structOf('core/v1.Pod');
    const meta = structOf('meta/v1.ObjectMeta');
    const textOf = (type: StructType, name: string): string | undefined => {
      const field = type.field(name);
      return field && describeField(type, field);
    };
    expect(textOf(pod, 'apiVersion')).toMatch(/^APIVersion defines /);
    expect(textOf(pod, 'metadata')).toMatch(/^Standard object's metadata/);
    expect(textOf(meta, 'creationTimestamp')).toMatch(/^CreationTimestamp is a timestamp/);
  });

  test('exist for every field of a pod and its containers', () => {
    for (const name of ['PodSpec', 'Container', 'Probe', 'VolumeMount', 'ServiceSpec']) {
      const type = structOf(`core/v1.${name}`);
      const silent = type.fields.filter((field) => describeField(type, field) === undefined);
      expect(silent.map((field) => field.name)).toEqual([]);
    }
  });

  test('of a list, a spec and a condition come from their names', () => {
    expect(describeType('core/v1.PodList')).toBe('A list of objects of the kind Pod.');
    expect(describeType('networking/v1.ServiceCIDRSpec')).toBe('What is wanted of a ServiceCIDR.');
    const condition = structOf('apps/v1.DeploymentCondition');
    const status = condition.field('status');
    expect(status && describeField(condition, status)).toBe('True, False or Unknown.');
  });

  test('are left out where they would say nothing', () => {
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
