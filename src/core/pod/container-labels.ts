/**
 * Builds the labels and annotations of sandboxes and containers, with the keys of Kubernetes' kubelet: other
 * tools rely on them, and a restarted podkeep reads them.
 */
import type { Pod } from '../../api/pod.ts';
import { fnv1a32 } from '../../lib/fnv.ts';
import {
  podReferenceOf,
  type ContainerPort,
  type HttpGetAction,
  type LifecycleHandler,
  type RunContainer,
} from '../../api/run-spec.ts';

type Labels = Readonly<Record<string, string>>;

const POD_NAME = 'io.kubernetes.pod.name';
const POD_NAMESPACE = 'io.kubernetes.pod.namespace';
const POD_UID = 'io.kubernetes.pod.uid';
const CONTAINER_NAME = 'io.kubernetes.container.name';

const HASH = 'io.kubernetes.container.hash';
const RESTART_COUNT = 'io.kubernetes.container.restartCount';
const TERMINATION_MESSAGE_PATH = 'io.kubernetes.container.terminationMessagePath';
const TERMINATION_MESSAGE_POLICY = 'io.kubernetes.container.terminationMessagePolicy';
const PRE_STOP_HANDLER = 'io.kubernetes.container.preStopHandler';
const PORTS = 'io.kubernetes.container.ports';
const DELETION_GRACE = 'io.kubernetes.pod.deletionGracePeriod';
const TERMINATION_GRACE = 'io.kubernetes.pod.terminationGracePeriod';

/**
 * The pod's labels and its identity. The identity comes last, so that a pod's labels cannot claim another
 * identity.
 */
export function sandboxLabels(pod: Pod): Labels {
  return { ...pod.metadata.labels, ...identityOf(pod) };
}

export function sandboxAnnotations(pod: Pod): Labels {
  return { ...pod.metadata.annotations };
}

export function containerLabels(pod: Pod, { name }: RunContainer): Labels {
  return { ...identityOf(pod), [CONTAINER_NAME]: name };
}

export function containerAnnotations(pod: Pod, container: RunContainer, attempt: number): Labels {
  const { deletionGracePeriodSeconds } = pod.metadata;
  const { terminationGracePeriodSeconds } = pod.spec;
  const { lifecycle, ports = [] } = container;
  return {
    [HASH]: containerHash(container),
    [RESTART_COUNT]: String(attempt),
    [TERMINATION_MESSAGE_PATH]: container.terminationMessagePath ?? '',
    [TERMINATION_MESSAGE_POLICY]: container.terminationMessagePolicy ?? '',
    ...(isNumber(deletionGracePeriodSeconds) && {
      [DELETION_GRACE]: String(deletionGracePeriodSeconds),
    }),
    ...(isNumber(terminationGracePeriodSeconds) && {
      [TERMINATION_GRACE]: String(terminationGracePeriodSeconds),
    }),
    ...(lifecycle?.preStop && { [PRE_STOP_HANDLER]: goJson(inOrder(lifecycle.preStop)) }),
    ...(ports.length > 0 && { [PORTS]: goJson(ports.map(portInOrder)) }),
  };
}

/**
 * A hash of the fields that cannot change without a restart: the name and the image. It equals the kubelet's
 * hash, so that podkeep and a kubelet take over each other's running containers without restarting them. (The
 * kubelet hashes Go's text of the list of the JSON's bytes.)
 */
export function containerHash({ name, image = '' }: RunContainer): string {
  const encoder = new TextEncoder();
  const bytes = encoder.encode(goJson({ image, name }));
  return fnv1a32(encoder.encode(`([]uint8)[${bytes.join(' ')}]`)).toString(16);
}

/** In the order of the API's fields, so that the text equals the kubelet's. */
function inOrder({ exec, httpGet, tcpSocket, sleep }: LifecycleHandler): LifecycleHandler {
  return {
    ...(exec && { exec }),
    ...(httpGet && { httpGet: requestInOrder(httpGet) }),
    ...(tcpSocket && { tcpSocket }),
    ...(sleep && { sleep }),
  };
}

function requestInOrder({ path, port, host, scheme, httpHeaders }: HttpGetAction): HttpGetAction {
  return {
    ...(path && { path }),
    port,
    ...(host && { host }),
    ...(scheme && { scheme }),
    ...(httpHeaders && { httpHeaders }),
  };
}

function portInOrder({
  name,
  hostPort,
  containerPort,
  protocol,
  hostIP,
}: ContainerPort): ContainerPort {
  return {
    ...(name && { name }),
    ...(hostPort && { hostPort }),
    containerPort,
    ...(protocol && { protocol }),
    ...(hostIP && { hostIP }),
  };
}

/** As Go writes it: with HTML characters escaped. */
function goJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[<>&\u2028\u2029]/g,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function identityOf(pod: Pod): Labels {
  const { name, namespace, uid } = podReferenceOf(pod);
  return { [POD_NAME]: name, [POD_NAMESPACE]: namespace, [POD_UID]: uid };
}

function isNumber(value: number | null | undefined): value is number {
  return typeof value === 'number';
}
