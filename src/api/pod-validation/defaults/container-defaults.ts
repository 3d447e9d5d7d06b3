/** Applies defaults to a container of any type. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  changeObject,
  changeObjects,
  fillAbsent,
  fillEmpty,
} from '../../validation/json-changes.ts';
import { readText } from '../../validation/json-reading.ts';
import { imageTagOf } from './image-tag.ts';
import { defaultRequirements } from './resource-defaults.ts';

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'];

export function defaultContainer(container: JsonObject): JsonObject {
  let next = fillEmpty(container, {
    imagePullPolicy: pullPolicyFor(readText(container['image'])),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  // The API always prints resources, even if they are empty.
  next = fillAbsent(next, { resources: {} });
  next = changeObject(next, 'resources', defaultRequirements);
  next = changeObjects(next, 'ports', (port) => fillEmpty(port, { protocol: 'TCP' }));
  next = changeObjects(next, 'env', defaultVariable);
  for (const name of PROBES) next = changeObject(next, name, defaultProbe);
  return changeObject(next, 'lifecycle', defaultLifecycle);
}

/** `Always` for the tag `latest`, which is mutable. */
export function pullPolicyFor(image: string): string {
  return imageTagOf(image) === 'latest' ? 'Always' : 'IfNotPresent';
}

export function defaultFieldRef(holder: JsonObject): JsonObject {
  return changeObject(holder, 'fieldRef', (ref) => fillEmpty(ref, { apiVersion: 'v1' }));
}

function defaultVariable(variable: JsonObject): JsonObject {
  return changeObject(variable, 'valueFrom', (source) =>
    changeObject(defaultFieldRef(source), 'fileKeyRef', (ref) =>
      fillAbsent(ref, { optional: false }),
    ),
  );
}

function defaultProbe(probe: JsonObject): JsonObject {
  const timed = fillEmpty(probe, {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  const handled = changeObject(timed, 'httpGet', defaultHttpGet);
  return changeObject(handled, 'grpc', (grpc) => fillAbsent(grpc, { service: '' }));
}

function defaultLifecycle(lifecycle: JsonObject): JsonObject {
  const defaultHook = (hook: JsonObject): JsonObject =>
    changeObject(hook, 'httpGet', defaultHttpGet);
  return changeObject(changeObject(lifecycle, 'postStart', defaultHook), 'preStop', defaultHook);
}

function defaultHttpGet(action: JsonObject): JsonObject {
  return fillEmpty(action, { path: '/', scheme: 'HTTP' });
}
