/** Metrics of podkeep's own process, with the usual names (process_…). */
import { readdir, readFile } from 'node:fs/promises';
import type { Counter } from '../../lib/metrics/counter.ts';
import type { Gauge } from '../../lib/metrics/gauge.ts';
import type { Registry } from '../../lib/metrics/registry.ts';

const MICROSECONDS_PER_SECOND = 1_000_000;
const BYTES_PER_KB = 1024;

export class ProcessMetrics {
  readonly #cpu: Counter;
  readonly #resident: Gauge;
  readonly #active: Gauge;
  readonly #registry: Registry;
  /**
   * A gauge is created with its first value: if the system does not report one, the metric is missing, not 0.
   */
  readonly #gauges = new Map<string, Gauge>();

  constructor(registry: Registry, startedAtMs: number) {
    this.#registry = registry;
    this.#cpu = registry.counter({
      name: 'process_cpu_seconds_total',
      help: 'Total user and system CPU time spent in seconds.',
    });
    this.#resident = registry.gauge({
      name: 'process_resident_memory_bytes',
      help: 'Resident memory size in bytes.',
    });
    // Dashboards of the kubelet look for leaks in go_goroutines; in an event loop, active resources are what
    // leaks.
    this.#active = registry.gauge({
      name: 'go_goroutines',
      help: 'Number of resources that keep the event loop busy: timers, sockets, requests. podkeep has no goroutines.',
    });
    addStartTime(registry, startedAtMs);
  }

  async refresh(): Promise<void> {
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / MICROSECONDS_PER_SECOND;
    this.#cpu.inc(Math.max(seconds - this.#cpu.value, 0));
    this.#resident.set(process.memoryUsage.rss());
    this.#active.set(process.getActiveResourcesInfo().length);
    const [status, limits, descriptors] = await Promise.all([
      readFile('/proc/self/status', 'utf8').catch(() => ''),
      readFile('/proc/self/limits', 'utf8').catch(() => ''),
      readdir('/proc/self/fd').catch(() => null),
    ]);
    const virtualKb = Number(/^VmSize:\s+(\d+) kB/m.exec(status)?.[1] ?? Number.NaN);
    const filesMax = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.NaN);
    this.#set(
      'process_virtual_memory_bytes',
      'Virtual memory size in bytes.',
      virtualKb * BYTES_PER_KB,
    );
    this.#set('process_max_fds', 'Maximum number of open file descriptors.', filesMax);
    this.#set(
      'process_open_fds',
      'Number of open file descriptors.',
      descriptors?.length ?? Number.NaN,
    );
  }

  #set(name: string, help: string, value: number): void {
    if (Number.isNaN(value)) return;
    const gauge = this.#gauges.get(name) ?? this.#registry.gauge({ name, help });
    this.#gauges.set(name, gauge);
    gauge.set(value);
  }
}

export function addStartTime(registry: Registry, startedAtMs: number): void {
  const gauge = registry.gauge({
    name: 'process_start_time_seconds',
    help: '[ALPHA] Start time of the process since unix epoch in seconds.',
  });
  gauge.set(startedAtMs / 1000);
}
