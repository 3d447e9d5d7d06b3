import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepFreeze } from '../../../test/support/deep-freeze.ts';
import { SAMPLES } from '../../../test/support/kind-samples.ts';
import { structOf } from '../../api/schema/schema.ts';
import { builtInKinds } from '../kinds/built-in-kinds.ts';
import { printedForm } from './printed-form.ts';

describe('printedForm', () => {
  it('prints an empty struct', () => {
    const printed = printedForm({}, structOf('apps/v1.Deployment'));
    expect(printed).toMatchObject({ metadata: {}, status: {} });
  });

  it('leaves out empty values, but keeps a zero that Go points to', () => {
    const spec = { replicas: 0, minReadySeconds: 0, paused: false };
    const printed = printedForm({ spec }, structOf('apps/v1.Deployment'));
    expect(printed['spec']).toMatchObject({ replicas: 0 });
    expect(printed['spec']).not.toHaveProperty('minReadySeconds');
    expect(printed['spec']).not.toHaveProperty('paused');
  });

  it('prints null for an empty list that is always printed', () => {
    const role = structOf('rbac/v1.Role');
    expect(printedForm({}, role)['rules']).toBeNull();
    expect(printedForm({ rules: [] }, role)['rules']).toBeNull();
  });

  it('prints null for absent times, and omits an absent time of creation', () => {
    const printed = printedForm({}, structOf('core/v1.Event'));
    expect(printed).toMatchObject({ eventTime: null, firstTimestamp: null, source: {} });
    expect(printed['metadata']).toEqual({});
  });

  it('prints quantities in their canonical form and times in UTC', () => {
    const spec = { hard: { cpu: '0.5', memory: '1024Ki' } };
    expect(printedForm({ spec }, structOf('core/v1.ResourceQuota'))).toMatchObject({
      spec: { hard: { cpu: '500m', memory: '1Mi' } },
    });
    const event = { firstTimestamp: '2026-01-02T04:04:05+01:00' };
    expect(printedForm(event, structOf('core/v1.Event'))).toMatchObject({
      firstTimestamp: '2026-01-02T03:04:05Z',
    });
  });

  it('treats __proto__ and constructor as keys like any other', () => {
    const data = JSON.parse('{"__proto__": "a", "constructor": "b"}');
    const printed = printedForm({ data }, structOf('core/v1.ConfigMap'));
    expect(Object.keys(printed['data'] ?? {})).toEqual(['__proto__', 'constructor']);
  });

  it('is idempotent and returns the very same object', () => {
    const types = builtInKinds.flatMap(({ type }) => (type ? [type] : []));
    const samples = Object.values(SAMPLES);
    fc.assert(
      fc.property(fc.constantFrom(...types), fc.constantFrom(...samples), (type, sample) => {
        const once = printedForm(deepFreeze(sample), type);
        expect(printedForm(once, type)).toBe(once);
      }),
    );
  });
});
