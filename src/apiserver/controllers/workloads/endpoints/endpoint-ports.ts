/** Resolves the ports of a Service for one pod: targetPort is a number, or the name of a container port. */
import { readNumber, readText } from '../../../../api/validation/json-reading.ts';
import type { JsonObject } from '../../../../lib/json.ts';
import { objectsAt } from '../../../objects/field-path.ts';

/** Omits named ports that the pod does not have. */
export function endpointPorts(service: JsonObject, pod: JsonObject): readonly JsonObject[] {
  return objectsAt(service, 'spec.ports').flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === null) return [];
    const { appProtocol } = port;
    return [
      {
        name: readText(port['name']),
        port: number,
        protocol: protocolOf(port),
        ...(typeof appProtocol === 'string' && { appProtocol }),
      },
    ];
  });
}

/** Equal for equal lists of ports, in any order. */
export function portsKey(ports: readonly JsonObject[]): string {
  const texts = ports.map((port) =>
    JSON.stringify([
      readText(port['name']),
      readNumber(port['port']),
      protocolOf(port),
      readText(port['appProtocol']),
    ]),
  );
  return JSON.stringify(texts.toSorted());
}

function targetPort(port: JsonObject, pod: JsonObject): number | null {
  const { targetPort: target } = port;
  if (typeof target === 'number' && target !== 0) return target;
  const name = readText(target);
  if (name === '') return readNumber(port['port']);
  const sidecars = objectsAt(pod, 'spec.initContainers').filter(
    ({ restartPolicy }) => restartPolicy === 'Always',
  );
  const named = [...objectsAt(pod, 'spec.containers'), ...sidecars]
    .flatMap((container) => objectsAt(container, 'ports'))
    .find((one) => readText(one['name']) === name && protocolOf(one) === protocolOf(port));
  return named ? readNumber(named['containerPort']) : null;
}

function protocolOf(port: JsonObject): string {
  return readText(port['protocol']) || 'TCP';
}
