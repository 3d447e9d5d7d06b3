/** For tests: the lines of one metric as a scraper sees them, without the metric's name. */
import { prometheusText } from '../../lib/metrics/exposition.ts';
import type { KubeletMetrics } from './kubelet-metrics.ts';

export function linesOf({ registry }: KubeletMetrics, name: string): readonly string[] {
  const text = prometheusText.expose(registry);
  const [, block = ''] = text.split(new RegExp(`^# TYPE ${name} .*\n`, 'm'));
  return block
    .replace(/^#[^]*/m, '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(name.length));
}
