/** Validates container ports: their names, and that no host port is used twice. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  invalidField,
  invalidFor,
  required,
  requireOneOf,
  type FieldErrors,
} from '../../validation/field-errors.ts';
import { readNumber, readObjects, readText } from '../../validation/json-reading.ts';
import type { Value } from '../../validation/json-reading.ts';
import { checkPortName, checkPortNumber } from '../../validation/names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function* validatePorts(ports: Value, path: string): FieldErrors {
  const seen = new Set<string>();
  for (const [index, port] of readObjects(ports).entries()) {
    const at = `${path}[${index}]`;
    const name = readText(port['name']);
    if (name !== '') yield* validateName(name, `${at}.name`, seen);
    const [containerPort, hostPort] = [
      readNumber(port['containerPort']),
      readNumber(port['hostPort']),
    ];
    if (containerPort === 0) yield required(`${at}.containerPort`);
    else yield* invalidFor(`${at}.containerPort`, containerPort, checkPortNumber(containerPort));
    if (hostPort !== 0) {
      yield* invalidFor(`${at}.hostPort`, hostPort, checkPortNumber(hostPort));
    }
    yield* requireOneOf(`${at}.protocol`, readText(port['protocol']), PROTOCOLS);
  }
}

/** All containers of a pod run on the same host, so no two may use the same host port. */
export function* validateHostPorts(containers: readonly JsonObject[], path: string): FieldErrors {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [at, port] of readObjects(container['ports']).entries()) {
      const hostPort = readNumber(port['hostPort']);
      if (hostPort === 0) continue;
      const key = `${readText(port['protocol'])}/${readText(port['hostIP'])}/${hostPort}`;
      if (taken.has(key)) yield duplicate(`${path}[${index}].ports[${at}].hostPort`, key);
      taken.add(key);
    }
  }
}

/** On the host network, the container port must equal the host port. */
export function* validateHostNetworkPorts(
  spec: JsonObject,
  path: string,
  isPod: boolean,
): FieldErrors {
  if (spec['hostNetwork'] !== true) return;
  for (const [index, container] of readObjects(spec['containers']).entries()) {
    for (const [at, port] of readObjects(container['ports']).entries()) {
      const hostPort = readNumber(port['hostPort']);
      if ((!isPod && hostPort === 0) || hostPort === readNumber(port['containerPort'])) continue;
      const field = `${path}.containers[${index}].ports[${at}].hostPort`;
      yield invalidField(field, hostPort, 'must match `containerPort` when `hostNetwork` is true');
    }
  }
}

/** The port of a probe: a number, or the name of one of the container's ports. */
export function* validatePortReference(port: Value, field: string): FieldErrors {
  if (typeof port === 'string') yield* invalidFor(field, port, checkPortName(port));
  else yield* invalidFor(field, readNumber(port), checkPortNumber(readNumber(port)));
}

function* validateName(name: string, field: string, seen: Set<string>): FieldErrors {
  const sentences = checkPortName(name);
  yield* invalidFor(field, name, sentences);
  if (sentences.length > 0) return;
  if (seen.has(name)) yield duplicate(field, name);
  seen.add(name);
}
