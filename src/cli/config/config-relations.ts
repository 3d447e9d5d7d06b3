/**
 * Checks relations between fields of KubeletConfiguration: defaults that follow from other fields, and pairs
 * that conflict.
 */
import { formatGoDuration } from '../../api/values/time-duration.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { KubeletConfig } from './kubelet-config.ts';
import type { ConfigPath } from './config-path.ts';

const SHUTDOWN_MS_MIN = 1000;

/** `given` is the document, which distinguishes fields that were set from defaults. */
export function checkTogether(
  config: KubeletConfig,
  given: JsonObject,
  at: ConfigPath,
): KubeletConfig {
  const complete = { ...config, ...derivedFrom(config, given) };
  reportClashes(complete, at);
  return complete;
}

function derivedFrom(config: KubeletConfig, given: JsonObject): Partial<KubeletConfig> {
  const { maxParallelImagePulls, nodeStatusUpdateFrequencyMs } = config;
  const isSet = (name: string): boolean => {
    const value = Object.hasOwn(given, name) ? given[name] : null;
    return value !== null && value !== 0 && value !== '0' && value !== '0s';
  };
  return {
    // If only nodeStatusUpdateFrequency is set, nodeStatusReportFrequency follows it.
    ...(isSet('nodeStatusUpdateFrequency') &&
      !isSet('nodeStatusReportFrequency') && {
        nodeStatusReportFrequencyMs: nodeStatusUpdateFrequencyMs,
      }),
    // Parallel pulls imply that pulls are not serialized.
    ...(!isSet('serializeImagePulls') && {
      serializeImagePulls: maxParallelImagePulls === null || maxParallelImagePulls < 2,
    }),
  };
}

function reportClashes(config: KubeletConfig, at: ConfigPath): void {
  const { maxParallelImagePulls, serializeImagePulls } = config;
  if (serializeImagePulls && (maxParallelImagePulls ?? 1) > 1) {
    at.field('maxParallelImagePulls').addProblem(
      'must be 1 while serializeImagePulls is true; set that to false',
    );
  }
  const enforces = config.enforceNodeAllocatable.some((what) => what !== 'none');
  if (!config.cgroupsPerQOS && enforces) {
    at.field('enforceNodeAllocatable').addProblem(
      'needs the groups that cgroupsPerQOS makes; set it to [] or to [none]',
    );
  }
  if (config.imageGCLowThresholdPercent >= config.imageGCHighThresholdPercent) {
    at.field('imageGCLowThresholdPercent').addProblem('must be below imageGCHighThresholdPercent');
  }
  const { imageMaximumGCAgeMs: ageMaxMs, imageMinimumGCAgeMs: ageMinMs } = config;
  if (ageMaxMs !== 0 && ageMaxMs <= ageMinMs) {
    at.field('imageMaximumGCAge').addProblem('must be above imageMinimumGCAge, or 0');
  }
  if (config.enableSystemLogQuery && !config.enableSystemLogHandler) {
    at.field('enableSystemLogQuery').addProblem('needs enableSystemLogHandler, which is false');
  }
  if (config.kubeAPIQPS === 0) {
    at.field('kubeAPIQPS').addProblem('must be -1 for no limit, or at least 1');
  }
  reportShutdownClashes(config, at);
  if ((config.tlsCertFile === '') !== (config.tlsPrivateKeyFile === '')) {
    const missing = config.tlsCertFile === '' ? 'tlsCertFile' : 'tlsPrivateKeyFile';
    at.field(missing).addProblem('is missing: a certificate and its key go together');
  }
}

/** The kubelet's messages, after the name of the field. */
function reportShutdownClashes(config: KubeletConfig, at: ConfigPath): void {
  const { shutdownGracePeriodMs: wholeMs, shutdownGracePeriodCriticalPodsMs: criticalMs } = config;
  const [whole, critical] = [formatGoDuration(wholeMs), formatGoDuration(criticalMs)];
  const ofCritical = at.field('shutdownGracePeriodCriticalPods');
  if (criticalMs > wholeMs) {
    ofCritical.addProblem(`${critical} must be <= shutdownGracePeriod ${whole}`);
  }
  const atLeast = 'must be either zero or otherwise >= 1 sec';
  if (wholeMs > 0 && wholeMs < SHUTDOWN_MS_MIN) {
    at.field('shutdownGracePeriod').addProblem(`${whole} ${atLeast}`);
  }
  if (criticalMs > 0 && criticalMs < SHUTDOWN_MS_MIN) {
    ofCritical.addProblem(`${critical} ${atLeast}`);
  }
  if (config.shutdownGracePeriodByPodPriority.length > 0 && (wholeMs > 0 || criticalMs > 0)) {
    at.addProblem(
      'Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time',
    );
  }
}
