/**
 * Parses `tracing.endpoint` of the kubelet configuration. Kubernetes' kubelet exports spans over gRPC;
 * podkeep exports them with OTLP over HTTP, so it accepts host:port and http or https URLs, but no name
 * schemes of gRPC.
 */
export const OTLP_ENDPOINT_DEFAULT = 'localhost:4318';

const TRACES_PATH = '/v1/traces';
/** Where collectors listen for gRPC by default. */
const GRPC_PORT = '4317';
const HOST_AND_PORT = /^[^/?#@\s]+:\d+$/;

/** The URL to which spans are posted. Null: podkeep does not accept this endpoint. */
export function otlpTracesUrl(endpoint: string): string | null {
  const isUrl = /^https?:\/\//i.test(endpoint);
  if (!isUrl && !HOST_AND_PORT.test(endpoint)) return null;
  const full = isUrl ? endpoint : `http://${endpoint}`;
  if (/[?#\s]/.test(full) || !URL.canParse(full)) return null;
  const url = new URL(full);
  if (url.username !== '' || url.password !== '') return null;
  const base = url.pathname.replace(/\/+$/, '');
  return base.endsWith(TRACES_PATH) ? null : `${url.origin}${base}${TRACES_PATH}`;
}

/** Whether a collector probably expects gRPC there, which podkeep does not speak. */
export function isGrpcPort(tracesUrl: string): boolean {
  return new URL(tracesUrl).port === GRPC_PORT;
}
