/** Warnings about ports that are listed twice or are ambiguous. */
import type { JsonObject } from '../../../../lib/json.ts';
import { readNumber, readObjects, readText } from '../../../../api/validation/json-reading.ts';
import { allContainers } from '../../../../api/pod-validation/container-lists.ts';

interface Port {
  readonly field: string;
  readonly name: string;
  readonly key: string;
  readonly hostPort: number;
  readonly hostIp: string;
  readonly shown: string;
}

export function* warnAboutPorts(spec: JsonObject): Generator<string, void> {
  const ports = portsOf(spec);
  for (const [index, port] of ports.entries()) {
    const { field, hostIp, hostPort, shown, key } = port;
    if (hostIp !== '' && hostPort === 0) yield `${field}: hostIP set without hostPort: ${shown}`;
    for (const other of ports.slice(0, index)) {
      const clash = other.key === key ? clashOf(port, other) : undefined;
      if (clash !== undefined) yield `${field}: ${clash} port definition with ${other.field}`;
    }
  }
  const named = new Map<string, string>();
  for (const { name, field } of ports) {
    if (name === '') continue;
    const first = named.get(name);
    if (first === undefined) named.set(name, field);
    else {
      const quoted = JSON.stringify(name);
      yield `${field}: duplicate port name ${quoted} with ${first}, services and probes that select ports by name will use ${first}`;
    }
  }
}

function portsOf(spec: JsonObject): readonly Port[] {
  return allContainers(spec).flatMap(({ container, path }) =>
    readObjects(container['ports']).map((port, index) => readPort(port, `${path}.ports[${index}]`)),
  );
}

function readPort(port: JsonObject, field: string): Port {
  const [name, protocol, hostIp] = ['name', 'protocol', 'hostIP'].map((key) => readText(port[key]));
  const [hostPort, number] = [readNumber(port['hostPort']), readNumber(port['containerPort'])];
  return {
    field,
    name: name ?? '',
    key: `${number}/${protocol}`,
    hostPort,
    hostIp: hostIp ?? '',
    shown: `{Name:${name} HostPort:${hostPort} ContainerPort:${number} Protocol:${protocol} HostIP:${hostIp}}`,
  };
}

function clashOf(port: Port, other: Port): string | undefined {
  const isSamePort = port.hostPort === other.hostPort;
  if (isSamePort && port.hostIp === other.hostIp) return 'duplicate';
  if (port.hostPort === 0 || other.hostPort === 0) return 'overlapping';
  // One of the two uses every host address, the other a single one.
  const isAmbiguous = isSamePort && (port.hostIp === '') !== (other.hostIp === '');
  return isAmbiguous ? 'dangerously ambiguous' : undefined;
}
