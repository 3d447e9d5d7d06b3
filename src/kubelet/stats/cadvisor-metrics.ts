/**
 * /metrics/cadvisor: the metrics of cAdvisor that most dashboards are built on, as far as podkeep's
 * runtimes can tell: CPU, memory, network, processes and what was written, of containers and pods; cores
 * and memory of the machine. docs/kubelet-server.md lists them. Others that cAdvisor has are absent, and
 * so is what a runtime does not know; nothing is filled with zeros.
 *
 * As cAdvisor does, the pod as a whole is the one with an empty container.
 */
import { secondsOf } from './seconds.ts';
import { stampedText, type StampedFamily, type StampedSample } from './stamped-metrics.ts';
import type { ContainerUsage, PodUsage, Usage } from './usage-reader.ts';

interface Subject extends Pick<ContainerUsage, 'cpu' | 'memory' | 'writableBytes'> {
  readonly labels: Readonly<Record<string, string>>;
  readonly startedAtMs: number;
  readonly sandbox?: PodUsage['sandbox'];
}

type Measure = (subject: Subject) => readonly StampedSample[];

export function cadvisorMetrics({ machine, pods }: Usage): string {
  const subjects = pods.flatMap(subjectsOf);
  const families = FAMILIES.map(({ measure, ...head }) => ({
    ...head,
    samples: subjects.flatMap(measure),
  }));
  return stampedText([...families, ...machineFamilies(machine.cores, machine.memory.totalBytes)]);
}

function subjectsOf(usage: PodUsage): readonly Subject[] {
  const { pod, containers, sandbox, cpu, memory, startedAtMs } = usage;
  const place = { pod: pod.name, namespace: pod.namespace };
  const whole: Subject = {
    labels: { ...place, container: '', id: `/pod${pod.uid}`, image: '', name: '' },
    startedAtMs,
    ...(cpu && { cpu }),
    ...(memory && { memory }),
    ...(sandbox && { sandbox }),
  };
  const parts = containers.map(({ container: { id, name: container, image }, ...measured }) => {
    const name = id.slice(id.indexOf('://') + 3);
    const labels = { ...place, container, id: `/pod${pod.uid}/${name}`, image, name };
    return { labels, ...measured };
  });
  return [whole, ...parts];
}

const cpuSeconds: Measure = ({ labels, cpu }) =>
  cpu ? [{ labels: { ...labels, cpu: 'total' }, value: secondsOf(cpu), timeMs: cpu.timeMs }] : [];

function memory(field: 'workingSetBytes' | 'usageBytes' | 'residentBytes'): Measure {
  return ({ labels, memory: used }) => {
    const value = used?.[field];
    return used && value !== undefined ? [{ labels, value, timeMs: used.timeMs }] : [];
  };
}

const memoryFailures: Measure = ({ labels, memory: used }) => {
  const types = [
    ['pgfault', used?.pageFaults],
    ['pgmajfault', used?.majorPageFaults],
  ] as const;
  return types.flatMap(([failure_type, value]) =>
    used && value !== undefined
      ? [{ labels: { ...labels, failure_type, scope: 'container' }, value, timeMs: used.timeMs }]
      : [],
  );
};

type NetworkField = 'receivedBytes' | 'sentBytes' | 'receiveErrors' | 'sendErrors';

function network(field: NetworkField): Measure {
  return ({ labels, sandbox }) => {
    const found = sandbox?.network;
    if (!found) return [];
    const { interfaceName, timeMs } = found;
    return [{ labels: { ...labels, interface: interfaceName }, value: found[field], timeMs }];
  };
}

const FAMILIES: readonly (Omit<StampedFamily, 'samples'> & { readonly measure: Measure })[] = [
  {
    name: 'container_cpu_usage_seconds_total',
    type: 'counter',
    help: 'Cumulative cpu time consumed in seconds.',
    measure: cpuSeconds,
  },
  {
    name: 'container_memory_working_set_bytes',
    type: 'gauge',
    help: 'Current working set in bytes.',
    measure: memory('workingSetBytes'),
  },
  {
    name: 'container_memory_usage_bytes',
    type: 'gauge',
    help: 'Current memory usage in bytes, including all memory regardless of when it was accessed',
    measure: memory('usageBytes'),
  },
  {
    name: 'container_memory_rss',
    type: 'gauge',
    help: 'Size of RSS in bytes.',
    measure: memory('residentBytes'),
  },
  {
    name: 'container_memory_failures_total',
    type: 'counter',
    help: 'Cumulative count of memory allocation failures.',
    measure: memoryFailures,
  },
  {
    name: 'container_network_receive_bytes_total',
    type: 'counter',
    help: 'Cumulative count of bytes received',
    measure: network('receivedBytes'),
  },
  {
    name: 'container_network_receive_errors_total',
    type: 'counter',
    help: 'Cumulative count of errors encountered while receiving',
    measure: network('receiveErrors'),
  },
  {
    name: 'container_network_transmit_bytes_total',
    type: 'counter',
    help: 'Cumulative count of bytes transmitted',
    measure: network('sentBytes'),
  },
  {
    name: 'container_network_transmit_errors_total',
    type: 'counter',
    help: 'Cumulative count of errors encountered while transmitting',
    measure: network('sendErrors'),
  },
  {
    name: 'container_processes',
    type: 'gauge',
    help: 'Number of processes running inside the container.',
    measure: ({ labels, sandbox }) =>
      sandbox?.processes === undefined ? [] : [{ labels, value: sandbox.processes }],
  },
  {
    name: 'container_fs_usage_bytes',
    type: 'gauge',
    help: 'Number of bytes that are consumed by the container on this filesystem.',
    measure: ({ labels, writableBytes }) =>
      writableBytes === undefined
        ? []
        : [{ labels: { ...labels, device: '' }, value: writableBytes }],
  },
  {
    name: 'container_start_time_seconds',
    type: 'gauge',
    help: 'Start time of the container since unix epoch in seconds.',
    measure: ({ labels, startedAtMs }) => [{ labels, value: Math.floor(startedAtMs / 1000) }],
  },
];

function machineFamilies(cores: number, bytes: number): readonly StampedFamily[] {
  return [
    {
      name: 'machine_cpu_cores',
      type: 'gauge',
      help: 'Number of logical CPU cores.',
      samples: [{ labels: {}, value: cores }],
    },
    {
      name: 'machine_memory_bytes',
      type: 'gauge',
      help: 'Amount of memory installed on the machine.',
      samples: [{ labels: {}, value: bytes }],
    },
  ];
}
