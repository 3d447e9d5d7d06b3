/** Opens the tracing of a node. Its code is loaded only if spans are sampled. */
import { OTLP_ENDPOINT_DEFAULT } from '../../core/tracing/otlp-endpoint.ts';
import type { NodeTracing } from '../../kubelet/tracing/node-tracing.ts';
import type { Registry } from '../../lib/metrics/registry.ts';
import { systemClock as clock } from '../../platform/system-clock.ts';
import { systemRandom as random } from '../../platform/system-random.ts';
import type { ClosingList } from '../closing-list.ts';
import type { NodeOptions } from './node.ts';
import { isEndpoint } from './runtime-choice.ts';

type TracingOptions = Pick<NodeOptions, 'config' | 'name' | 'version' | 'log' | 'runtime'>;

/** Undefined: no spans are sampled. */
export async function openTracing(
  { config: { tracing }, name: nodeName, version, log, runtime }: TracingOptions,
  registry: Registry,
  closing: ClosingList,
): Promise<NodeTracing | undefined> {
  if (!tracing) return undefined;
  const { endpoint = '', samplingRatePerMillion } = tracing;
  if (!samplingRatePerMillion) {
    log.info('tracing.samplingRatePerMillion is 0 or not set: no spans are exported');
    return undefined;
  }
  const [{ openNodeTracing }, { postJson }] = await Promise.all([
    import('../../kubelet/tracing/node-tracing.ts'),
    import('../../client/post-json.ts'),
  ]);
  const opened = openNodeTracing({
    clock,
    random,
    log,
    post: postJson,
    registry,
    nodeName,
    version,
    endpoint: endpoint || OTLP_ENDPOINT_DEFAULT,
    samplingRatePerMillion,
    isRemote: typeof runtime === 'string' && isEndpoint(runtime),
  });
  closing.add(() => opened.close());
  return opened;
}
