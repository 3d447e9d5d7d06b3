/** A real Prometheus that scrapes kubelets, and answers what a dashboard asks. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { clusterMissing } from '../../../scripts/cluster/errors.ts';
import { prometheusPath } from '../../../scripts/cluster/cache-folder.ts';
import { Daemon } from '../../e2e/support/daemon.ts';
import { findFreePort } from '../../e2e/support/free-port.ts';
import type { KeyPair } from '../../e2e/support/certificates.ts';

const READY_MS = 60_000;

export interface PrometheusOptions {
  readonly folder: string;
  /** Of a client that kubelets let read their metrics. */
  readonly client: KeyPair;
  /** Addresses of kubelets, by the value of the label `instance`. */
  readonly targets: Readonly<Record<string, string>>;
}

export interface PrometheusSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

export class Prometheus {
  readonly #daemon: Daemon;
  readonly #address: string;

  private constructor(daemon: Daemon, address: string) {
    this.#daemon = daemon;
    this.#address = address;
  }

  static async start({ folder, client, targets }: PrometheusOptions): Promise<Prometheus> {
    const program = prometheusPath(process.env);
    if (!existsSync(program)) throw clusterMissing({ missing: ['prometheus'] });
    mkdirSync(folder, { recursive: true });
    const config = path.join(folder, 'prometheus.yaml');
    writeFileSync(config, JSON.stringify(configOf(client, targets)));
    const address = `127.0.0.1:${await findFreePort()}`;
    const daemon = new Daemon({
      name: 'prometheus',
      command: program,
      folder,
      args: [
        `--config.file=${config}`,
        `--storage.tsdb.path=${path.join(folder, 'data')}`,
        `--web.listen-address=${address}`,
      ],
    });
    const ready = `http://${address}/-/ready`;
    await daemon.waitUntilReady(READY_MS, async () => (await fetch(ready)).ok);
    return new Prometheus(daemon, address);
  }

  /** The value of an expression now. */
  async query(expression: string): Promise<readonly PrometheusSample[]> {
    const query = new URLSearchParams({ query: expression });
    const answer = await fetch(`http://${this.#address}/api/v1/query?${query.toString()}`);
    const body = (await answer.json()) as {
      readonly status: string;
      readonly error?: string;
      readonly data: { readonly result: readonly RawSample[] };
    };
    if (body.status !== 'success') throw new Error(`${expression}: ${body.error}`);
    return body.data.result.map(({ metric, value: [, text] }) => ({ metric, value: Number(text) }));
  }

  stop(): Promise<void> {
    return this.#daemon.stop();
  }
}

interface RawSample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

function configOf({ certificate, key }: KeyPair, targets: PrometheusOptions['targets']) {
  return {
    global: { scrape_interval: '2s' },
    scrape_configs: [
      {
        job_name: 'kubelet',
        scheme: 'https',
        // A kubelet's own certificate is signed by itself.
        tls_config: { cert_file: certificate, key_file: key, insecure_skip_verify: true },
        static_configs: Object.entries(targets).map(([instance, address]) => ({
          targets: [address],
          labels: { cluster: 'tests', instance },
        })),
      },
    ],
  };
}
