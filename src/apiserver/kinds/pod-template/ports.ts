/** The ports of containers: what they are called, and that no two want the same one of the host. */
import type { JsonObject } from '../../../lib/json.ts';
import {
  duplicate,
  invalid,
  invalidFor,
  required,
  requireOneOf,
  type Complaints,
} from '../validation/complaint.ts';
import { readNumber, readObjects, readText } from '../validation/json-reading.ts';
import type { Value } from '../validation/json-reading.ts';
import { checkPortName, checkPortNumber } from '../validation/names.ts';

const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function* validatePorts(ports: Value, path: string): Complaints {
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

/** Two containers of a pod share its address, so they cannot both have the same port of the host. */
export function* validateHostPorts(containers: readonly JsonObject[], path: string): Complaints {
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

/** On the host's network a container listens where it listens. */
export function* validateHostNetworkPorts(
  spec: JsonObject,
  path: string,
  isPod: boolean,
): Complaints {
  if (spec['hostNetwork'] !== true) return;
  for (const [index, container] of readObjects(spec['containers']).entries()) {
    for (const [at, port] of readObjects(container['ports']).entries()) {
      const hostPort = readNumber(port['hostPort']);
      if ((!isPod && hostPort === 0) || hostPort === readNumber(port['containerPort'])) continue;
      const field = `${path}.containers[${index}].ports[${at}].hostPort`;
      yield invalid(field, hostPort, 'must match `containerPort` when `hostNetwork` is true');
    }
  }
}

/** A port as probes name it: a number, or the name of one of the container's. */
export function* validatePortReference(port: Value, field: string): Complaints {
  if (typeof port === 'string') yield* invalidFor(field, port, checkPortName(port));
  else yield* invalidFor(field, readNumber(port), checkPortNumber(readNumber(port)));
}

function* validateName(name: string, field: string, seen: Set<string>): Complaints {
  const sentences = checkPortName(name);
  yield* invalidFor(field, name, sentences);
  if (sentences.length > 0) return;
  if (seen.has(name)) yield duplicate(field, name);
  seen.add(name);
}
