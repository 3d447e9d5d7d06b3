/**
 * The entry point `podkeep/tracing`: OpenTelemetry spans around the work of pod workers and the status
 * manager. It is the only entry point that needs `@opentelemetry/api`, which programs that trace have
 * installed.
 */
export { tracePodSync } from './kubelet/tracing/traced-pod-sync.ts';
export { traceStatusWrite as tracePodStatusWrite } from './kubelet/tracing/traced-status-write.ts';
