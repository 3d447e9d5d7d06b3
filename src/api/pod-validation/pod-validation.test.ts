/** Defaults and rules of pods without an API server, as a node applies them to a manifest. */
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../lib/json.ts';
import { fieldErrorMessage } from '../validation/field-error.ts';
import { defaultPod } from './defaults/pod-defaults.ts';
import { validatePod, validatePodUpdate } from './pod-validation.ts';

function podWith(spec: JsonObject): JsonObject {
  return defaultPod({ metadata: { name: 'web', namespace: 'default' }, spec });
}

describe('a pod from a manifest', () => {
  test('is valid with its defaults', () => {
    const pod = podWith({ containers: [{ name: 'web', image: 'nginx' }] });
    expect(validatePod(pod)).toEqual([]);
    expect(pod).toMatchObject({
      spec: { restartPolicy: 'Always', containers: [{ imagePullPolicy: 'Always' }] },
    });
  });

  test('is refused with the messages of kube-apiserver', () => {
    const pod = podWith({ containers: [{ name: 'Web', image: ' nginx' }] });
    expect(validatePod(pod).map((error) => [error.field, fieldErrorMessage(error)])).toEqual([
      ['spec.containers[0].name', expect.stringContaining('Invalid value: "Web": a lowercase')],
      [
        'spec.containers[0].image',
        'Invalid value: " nginx": must not have leading or trailing whitespace',
      ],
    ]);
  });

  test('may replace an old one only with another image', () => {
    const old = podWith({ containers: [{ name: 'web', image: 'nginx:1' }] });
    const image = podWith({ containers: [{ name: 'web', image: 'nginx:2' }] });
    const command = podWith({ containers: [{ name: 'web', image: 'nginx:1', command: ['sh'] }] });
    expect(validatePodUpdate(image, old)).toEqual([]);
    expect(validatePodUpdate(command, old).map(({ type }) => type)).toEqual(['Forbidden']);
  });
});
