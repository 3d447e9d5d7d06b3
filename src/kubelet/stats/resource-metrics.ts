/**
 * Builds /metrics/resource, which metrics-server scrapes: CPU and memory of the node, its pods and
 * containers. Names, types and help texts are those of Kubernetes' kubelet. Swap of containers is omitted,
 * because no runtime reports it.
 */
import { secondsOf } from './seconds.ts';
import { stampedText, type StampedFamily, type StampedSample } from './stamped-metrics.ts';
import type { ContainerUsage, PodUsage, Usage } from './usage-reader.ts';

const ERROR_HELP = '1 if there was an error while getting container metrics, 0 otherwise';

/** Null: the usage could not be read. */
export function resourceMetrics(usage: Usage | null): string {
  const errors = [{ labels: {}, value: usage ? 0 : 1 }];
  return stampedText([
    ...(usage ? [...nodeFamilies(usage), ...podFamilies(usage), ...containerFamilies(usage)] : []),
    { name: 'scrape_error', type: 'gauge', help: `[ALPHA] ${ERROR_HELP}`, samples: errors },
    {
      name: 'resource_scrape_error',
      type: 'gauge',
      help: `[STABLE] ${ERROR_HELP}`,
      samples: errors,
    },
  ]);
}

function nodeFamilies({ machine: { memory, swap }, cpu }: Usage): readonly StampedFamily[] {
  const { timeMs } = memory;
  return [
    {
      name: 'node_cpu_usage_seconds_total',
      type: 'counter',
      help: '[STABLE] Cumulative cpu time consumed by the node in core-seconds',
      samples: [{ labels: {}, value: secondsOf(cpu), timeMs: cpu.timeMs }],
    },
    {
      name: 'node_memory_working_set_bytes',
      type: 'gauge',
      help: '[STABLE] Current working set of the node in bytes',
      samples: [{ labels: {}, value: memory.workingSetBytes, timeMs }],
    },
    {
      name: 'node_swap_usage_bytes',
      type: 'gauge',
      help: '[ALPHA] Current swap usage of the node in bytes. Reported only on non-windows systems',
      samples: swap ? [{ labels: {}, value: swap.usedBytes, timeMs }] : [],
    },
  ];
}

function podFamilies({ pods }: Usage): readonly StampedFamily[] {
  const each = (sample: (pod: PodUsage) => Omit<StampedSample, 'labels'> | null) =>
    pods.flatMap((usage) => {
      const { name: pod, namespace } = usage.pod;
      const found = sample(usage);
      return found ? [{ labels: { pod, namespace }, ...found }] : [];
    });
  return [
    {
      name: 'pod_cpu_usage_seconds_total',
      type: 'counter',
      help: '[STABLE] Cumulative cpu time consumed by the pod in core-seconds',
      samples: each(cpuSample),
    },
    {
      name: 'pod_memory_working_set_bytes',
      type: 'gauge',
      help: '[STABLE] Current working set of the pod in bytes',
      samples: each(memorySample),
    },
  ];
}

function containerFamilies({ pods }: Usage): readonly StampedFamily[] {
  const each = (sample: (container: ContainerUsage) => Omit<StampedSample, 'labels'> | null) =>
    pods.flatMap(({ pod: { name: pod, namespace }, containers }) =>
      containers.flatMap((usage) => {
        const labels = { container: usage.container.name, pod, namespace };
        const found = sample(usage);
        return found ? [{ labels, ...found }] : [];
      }),
    );
  return [
    {
      name: 'container_cpu_usage_seconds_total',
      type: 'counter',
      help: '[STABLE] Cumulative cpu time consumed by the container in core-seconds',
      samples: each(cpuSample),
    },
    {
      name: 'container_memory_working_set_bytes',
      type: 'gauge',
      help: '[STABLE] Current working set of the container in bytes',
      samples: each(memorySample),
    },
    {
      name: 'container_start_time_seconds',
      type: 'gauge',
      help: '[STABLE] Start time of the container since unix epoch in seconds',
      samples: each(({ startedAtMs }) => ({ value: startedAtMs / 1000 })),
    },
  ];
}

function cpuSample({ cpu }: Pick<ContainerUsage, 'cpu'>) {
  return cpu ? { value: secondsOf(cpu), timeMs: cpu.timeMs } : null;
}

function memorySample({ memory }: Pick<ContainerUsage, 'memory'>) {
  return memory ? { value: memory.workingSetBytes, timeMs: memory.timeMs } : null;
}
