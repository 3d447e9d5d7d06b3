/**
 * Builds /metrics/cadvisor: the cAdvisor metrics that most dashboards use, as far as podkeep's runtimes
 * report them: CPU, memory, network, processes and written bytes of containers and pods; cores and memory of
 * the machine. docs/kubelet-server.md lists them. Other metrics of cAdvisor are absent, and so are values
 * that a runtime does not report; nothing is filled with zeros.
 *
 * As in cAdvisor, the series with an empty container is the whole pod.
 */
import type { CpuThrottling } from '../../lib/cgroups/cgroup-counters.ts';
import type { ClassStats } from '../cgroups/cgroup-stats.ts';
import { secondsOf } from './seconds.ts';
import { stampedText, type StampedFamily, type StampedSample } from './stamped-metrics.ts';
import type { ContainerUsage, PodUsage, Usage } from './usage-reader.ts';

interface Subject extends Pick<
  ContainerUsage,
  'cpu' | 'memory' | 'writableBytes' | 'throttling' | 'io'
> {
  readonly labels: Readonly<Record<string, string>>;
  /** Absent: the subject is a QoS class. */
  readonly startedAtMs?: number;
  readonly sandbox?: PodUsage['sandbox'];
}

type Measure = (subject: Subject) => readonly StampedSample[];

/** `deviceName`: the name of a block device, by its major and minor number. Empty: not known. */
export function cadvisorMetrics(
  { machine, pods, classes }: Usage,
  deviceName: (major: number, minor: number) => string = () => '',
): string {
  const subjects = [...classes.map(classSubject), ...pods.flatMap(subjectsOf)];
  const families = [...FAMILIES, ...ioFamilies(deviceName)].map(({ measure, ...head }) => ({
    ...head,
    samples: subjects.flatMap(measure),
  }));
  return stampedText([...families, ...machineFamilies(machine.cores, machine.memory.totalBytes)]);
}

function subjectsOf(usage: PodUsage): readonly Subject[] {
  const { pod, containers, sandbox, cpu, memory, startedAtMs, throttling, io } = usage;
  const place = { pod: pod.name, namespace: pod.namespace };
  const whole: Subject = {
    labels: { ...place, container: '', id: `/pod${pod.uid}`, image: '', name: '' },
    startedAtMs,
    ...(cpu && { cpu }),
    ...(memory && { memory }),
    ...(sandbox && { sandbox }),
    ...(throttling && { throttling }),
    ...(io && { io }),
  };
  const parts = containers.map(({ container: { id, name: container, image }, ...measured }) => {
    const name = id.slice(id.indexOf('://') + 3);
    const labels = { ...place, container, id: `/pod${pod.uid}/${name}`, image, name };
    return { labels, ...measured };
  });
  return [whole, ...parts];
}

/** As in cAdvisor, the labels name neither a pod nor a container, but the path of a cgroup. */
function classSubject({ path, cpu, ...counted }: ClassStats): Subject {
  const labels = { pod: '', namespace: '', container: '', id: path, image: '', name: '' };
  return { labels, ...counted, ...(cpu && { cpu }) };
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

function throttled(field: keyof CpuThrottling): Measure {
  return ({ labels, throttling }) => (throttling ? [{ labels, value: throttling[field] }] : []);
}

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
    measure: ({ labels, startedAtMs }) =>
      startedAtMs === undefined ? [] : [{ labels, value: Math.floor(startedAtMs / 1000) }],
  },
  {
    name: 'container_cpu_cfs_periods_total',
    type: 'counter',
    help: 'Number of elapsed enforcement period intervals.',
    measure: throttled('periods'),
  },
  {
    name: 'container_cpu_cfs_throttled_periods_total',
    type: 'counter',
    help: 'Number of throttled period intervals.',
    measure: throttled('throttledPeriods'),
  },
  {
    name: 'container_cpu_cfs_throttled_seconds_total',
    type: 'counter',
    help: 'Total time duration the container has been throttled.',
    measure: throttled('throttledSeconds'),
  },
];

type DeviceNames = (major: number, minor: number) => string;

function ioFamilies(nameOf: DeviceNames): typeof FAMILIES {
  return [
    {
      name: 'container_fs_reads_bytes_total',
      type: 'counter',
      help: 'Cumulative count of bytes read',
      measure: transferred('Read', nameOf),
    },
    {
      name: 'container_fs_writes_bytes_total',
      type: 'counter',
      help: 'Cumulative count of bytes written',
      measure: transferred('Write', nameOf),
    },
    {
      name: 'container_blkio_device_usage_total',
      type: 'counter',
      help: 'Blkio Device bytes usage',
      measure: ({ labels, io = [] }) =>
        io.flatMap(({ major, minor, bytes }) =>
          Object.entries(bytes).map(([operation, value]) => {
            const numbers = { major: String(major), minor: String(minor), operation };
            return { labels: { ...labels, device: nameOf(major, minor), ...numbers }, value };
          }),
        ),
    },
  ];
}

function transferred(operation: string, nameOf: DeviceNames): Measure {
  return ({ labels, io = [] }) =>
    io.flatMap(({ major, minor, bytes }) => {
      const value = bytes[operation];
      const device = nameOf(major, minor);
      return value === undefined ? [] : [{ labels: { ...labels, device }, value }];
    });
}

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
