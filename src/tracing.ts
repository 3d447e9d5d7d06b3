/**
 * OpenTelemetry spans around the engine's work: `podkeep/tracing`, a door of its own, because loading
 * the tracing API costs more than most programs want to pay for what they do not use.
 */
export { tracePodSync } from './kubelet/tracing/traced-pod-sync.ts';
export { traceStatusWrite } from './kubelet/tracing/traced-status-write.ts';
